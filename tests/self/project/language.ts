import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type BindingIdentifier,
  type BindingPattern,
  type Comment,
  type ParamPattern,
  type ParseResult,
  parseSync,
  Visitor,
} from 'oxc-parser';
import { root } from '../harness/project-files.ts';

const functionWords = new Set(
  `what whether those that how which of where by such it its one some any anything anyone anybody whatever whoever
  nothing nobody each when why who whose as in on at to for with without beside but so than there`.split(
    /\s+/,
  ),
);

const bareWords = new Set(
  `one own other others some each same found known shown said asked named kept given both none most seen sent gone
  taken made told here there begun chosen drawn wanted needed meant tried written judged swept listed called moved marked
  alike alone such many few more less`.split(/\s+/),
);

const endsInPreposition = /[a-z](Of|In)$/;

/** `comments`: begin with a noun or verb. `names`: are no bare word such as `found`. `verbless`: no top-level name ends in `Of` or `In`. */
export type LanguageRule = 'comments' | 'names' | 'verbless';

/** Number of comments or names that a rule checked, and those that break it, as `file:line text`. */
export interface LanguageCount {
  total: number;
  broken: string[];
}

type FileLanguage = Record<LanguageRule, LanguageCount>;

/** Checks the comments and names of a TypeScript file by each rule. */
export function measureLanguage(
  file: string,
  text = readFileSync(path.join(root, file), 'utf8'),
): FileLanguage {
  const parsed = parseSync(file, text);
  const describePlace = ({ start }: { start: number }, excerpt: string) =>
    `${file}:${text.slice(0, start).split('\n').length} ${excerpt}`;
  const countBroken = <Place extends { start: number }>(
    places: Place[],
    isBroken: (place: Place) => boolean,
    readExcerpt: (place: Place) => string,
  ) => ({
    total: places.length,
    broken: places.filter(isBroken).map((place) => describePlace(place, readExcerpt(place))),
  });
  return {
    comments: countBroken(listDocComments(parsed), beginsWithFunctionWord, readComment),
    names: countBroken(
      listNames(parsed),
      ({ name }) => bareWords.has(name.toLowerCase()),
      ({ name }) => name,
    ),
    verbless: countBroken(
      listTopLevelNames(parsed),
      ({ name }) => endsInPreposition.test(name),
      ({ name }) => name,
    ),
  };
}

const listDocComments = ({ comments }: ParseResult) =>
  comments.filter((comment) => comment.type === 'Block' && /^\*(?!\s*@)/.test(comment.value));

const readComment = ({ value }: Comment) => value.replace(/\s*\n?\s*\*\s?/g, ' ').trim();

function beginsWithFunctionWord(comment: Comment): boolean {
  const [firstWord = ''] = /[a-z]+/i.exec(readComment(comment)) ?? [];
  return functionWords.has(firstWord.toLowerCase());
}

/** Lists the names that a file declares for variables, functions and parameters, also in callbacks and destructuring. */
function listNames({ program }: ParseResult): BindingIdentifier[] {
  const names: BindingIdentifier[] = [];
  const addFunction = ({ id, params }: { id?: BindingIdentifier | null; params: ParamPattern[] }) => {
    if (id) names.push(id);
    names.push(...params.flatMap(listIdentifiers));
  };
  new Visitor({
    VariableDeclarator: ({ id }) => names.push(...listIdentifiers(id)),
    CatchClause: ({ param }) => names.push(...(param ? listIdentifiers(param) : [])),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    TSDeclareFunction: addFunction,
    TSEmptyBodyFunctionExpression: addFunction,
  }).visit(program);
  return names;
}

/** Lists the names that a binding pattern declares: `a` and `c` for `{ a, b: [c] }`. */
function listIdentifiers(pattern: BindingPattern | ParamPattern): BindingIdentifier[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        listIdentifiers(property.type === 'RestElement' ? property : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? listIdentifiers(element) : []));
    case 'AssignmentPattern':
      return listIdentifiers(pattern.left);
    case 'RestElement':
      return listIdentifiers(pattern.argument);
    case 'TSParameterProperty':
      return listIdentifiers(pattern.parameter);
  }
}

function listTopLevelNames({ program }: ParseResult): BindingIdentifier[] {
  return program.body.flatMap((statement) => {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'VariableDeclaration')
      return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id] : []));
    const isNamed = declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration';
    return isNamed && declaration.id ? [declaration.id] : [];
  });
}
