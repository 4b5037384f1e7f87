import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type BindingIdentifier,
  type BindingPattern,
  type ParamPattern,
  type ParseResult,
  parseSync,
  type Statement,
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

/** Rule against unclear comments (`What …`), unclear names (`found`) or verbless names (`linesOf`). */
export type LanguageRule = 'comments' | 'names' | 'verbless';

/** Number of checked texts, and those that break a rule: `a.ts:3 linesOf`. */
export interface LanguageCount {
  total: number;
  broken: string[];
}

type FileLanguage = Record<LanguageRule, LanguageCount>;

/** Comment or name, and its index in the file. */
interface CheckedText {
  start: number;
  text: string;
}

/**
 * Counts a file's doc comments and names, and lists those that break a rule.
 * @param file path in the project, such as `src/run/target.ts`
 * @param code content of the file; default: reads the file
 */
export function measureLanguage(
  file: string,
  code = readFileSync(path.join(root, file), 'utf8'),
): FileLanguage {
  const parsed = parseSync(file, code);
  const names = listNames(parsed).map(toCheckedText);
  const topLevelNames = listTopLevelNames(parsed).map(toCheckedText);
  const checkRule = (texts: CheckedText[], isBroken: (text: string) => boolean): LanguageCount => {
    const brokenTexts = texts.filter(({ text }) => isBroken(text));
    const formatBroken = ({ start, text }: CheckedText) => `${file}:${countLines(code, start)} ${text}`;
    return { total: texts.length, broken: brokenTexts.map(formatBroken) };
  };
  return {
    comments: checkRule(listDocComments(parsed), beginsWithFunctionWord),
    names: checkRule(names, (name) => bareWords.has(name.toLowerCase())),
    verbless: checkRule(topLevelNames, (name) => endsInPreposition.test(name)),
  };
}

const countLines = (code: string, end: number): number => code.slice(0, end).split('\n').length;

const toCheckedText = ({ start, name }: BindingIdentifier): CheckedText => ({ start, text: name });

function listDocComments({ comments }: ParseResult): CheckedText[] {
  // `value` is the text between `/*` and `*/`, so that a doc comment begins with an asterisk.
  const docCommentStart = /^\*(?!\s*@)/;
  const asteriskOfLine = /\s*\n?\s*\*\s?/g;
  return comments
    .filter(({ type, value }) => type === 'Block' && docCommentStart.test(value))
    .map(({ start, value }) => ({ start, text: value.replace(asteriskOfLine, ' ').trim() }));
}

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
    return declaration ? listDeclaredNames(declaration) : [];
  });
}

function listDeclaredNames(declaration: Statement): BindingIdentifier[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.map(({ id }) => id).filter((id) => id.type === 'Identifier');
  const isNamed = declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration';
  return isNamed && declaration.id ? [declaration.id] : [];
}
