import { closest } from 'fastest-levenshtein';
import type { TitledTest } from './test-titles.ts';

/** The pattern of `--grep` on a command line of Playwright; the last one counts. */
export function grepIn(args: string[]): string | undefined {
  const patterns = args.flatMap((arg, index) => {
    const before = args[index - 1];
    if (before === '--grep' || before === '-g') return [arg];
    const [, pattern] = /^(?:--grep=|-g(?=.))(.*)$/s.exec(arg) ?? [];
    return pattern === undefined ? [] : [pattern];
  });
  return patterns.at(-1);
}

/** Why a pattern is a mistake, or selects no test: at most one sentence. */
export function grepProblem(pattern: string, tests: TitledTest[]): string | undefined {
  const addresses = tests.map(({ address }) => `@${address}`);
  return mistakeIn(pattern) ?? unknownAddress(pattern, addresses) ?? emptySelection(pattern, tests);
}

const literal = /^\/(.*)\/([gi]*)$/;
const isLiteral = (pattern: string) => literal.test(pattern);

function mistakeIn(pattern: string): string | undefined {
  if (pattern.includes('@') && pattern.includes('/*') && !isLiteral(pattern))
    return `--grep is a regular expression: write \\* for *, in quotes: --grep '${pattern.replaceAll('/*', '/\\*')}'`;
  try {
    expressionOf(pattern);
    return undefined;
  } catch {
    return `--grep is no regular expression: ${pattern}`;
  }
}

/** The parts of a list of addresses that name none, with the nearest one. */
function unknownAddress(pattern: string, addresses: string[]): string | undefined {
  const wrong = alternatives(pattern).find((one) => !selectsAny(one, addresses));
  if (wrong === undefined) return undefined;
  const address = wrong.replace(/\\(.)/g, '$1').replace(/\$$/, '');
  const nearest = closest(address, addresses).replaceAll('*', '\\*');
  return `--grep: no requirement has the address ${address}; the nearest is ${nearest} (npm run requirements lists all)`;
}

/** The parts of a pattern that begin with an address. With groups or classes it is more than a list of them. */
const alternatives = (pattern: string) =>
  /[([]|\\\|/.test(pattern) || isLiteral(pattern)
    ? []
    : pattern.split('|').flatMap((one) => (one.includes('@') ? [one.slice(one.indexOf('@'))] : []));

function emptySelection(pattern: string, tests: TitledTest[]): string | undefined {
  const titles = tests.map(({ title }) => title);
  if (selectsAny(pattern, titles)) return undefined;
  return `--grep '${pattern}' selects no test: no sentence or address of a requirement matches it (npm run requirements lists all)`;
}

const selectsAny = (pattern: string, texts: string[]) => {
  const expression = expressionOf(pattern);
  return texts.some((text) => text.search(expression) >= 0);
};

/** As Playwright reads a pattern: in any letter case, unless it is written as a literal. */
function expressionOf(pattern: string): RegExp {
  const [, source = pattern, flags = 'i'] = literal.exec(pattern) ?? [];
  return new RegExp(source, flags);
}
