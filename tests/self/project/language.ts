import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type BindingIdentifier,
  type BindingPattern,
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

/** `comments`: begin with a noun or verb. `names`: are no bare word such as `found`. `verbless`: no name lacks a verb, as `lineOf` does. */
export type LanguageRule = 'comments' | 'names' | 'verbless';

/** Number of comments or names that a rule checked, and those that break it, as `file:line text`. */
export interface LanguageCount {
  total: number;
  broken: string[];
}

type FileLanguage = Record<LanguageRule, LanguageCount>;

export function measureLanguage(
  file: string,
  text = readFileSync(path.join(root, file), 'utf8'),
): FileLanguage {
  const parsed = parseSync(file, text);
  const findLine = (start: number) => text.slice(0, start).split('\n').length;
  const checkRule = (items: { start: number; text: string }[], isBroken: (itemText: string) => boolean) => ({
    total: items.length,
    broken: items
      .filter((item) => isBroken(item.text))
      .map((item) => `${file}:${findLine(item.start)} ${item.text}`),
  });
  const toItem = ({ start, name }: BindingIdentifier) => ({ start, text: name });
  return {
    comments: checkRule(listDocComments(parsed), beginsWithFunctionWord),
    names: checkRule(listNames(parsed).map(toItem), (name) => bareWords.has(name.toLowerCase())),
    verbless: checkRule(listTopLevelNames(parsed).map(toItem), (name) => endsInPreposition.test(name)),
  };
}

const listDocComments = ({ comments }: ParseResult) =>
  comments
    .filter((comment) => comment.type === 'Block' && /^\*(?!\s*@)/.test(comment.value))
    .map(({ start, value }) => ({ start, text: value.replace(/\s*\n?\s*\*\s?/g, ' ').trim() }));

function beginsWithFunctionWord(text: string): boolean {
  const [firstWord = ''] = /[a-z]+/i.exec(text) ?? [];
  return functionWords.has(firstWord.toLowerCase());
}

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
