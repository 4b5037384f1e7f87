import { closest } from 'fastest-levenshtein';

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

/** What is wrong with a pattern that names addresses of requirements: at most one sentence. */
export function grepProblem(pattern: string, addresses: string[]): string | undefined {
  // Of the other forms Playwright itself says when they select nothing.
  if (!pattern.includes('@') || /^\/.*\/[a-z]*$/s.test(pattern)) return undefined;
  if (/\/\*/.test(pattern))
    return `--grep is a regular expression: write \\* for *, in quotes: --grep '${pattern.replaceAll('/*', '/\\*')}'`;
  const wrong = alternatives(pattern).find((one) => !selectsAny(one, addresses));
  if (wrong === undefined) return undefined;
  const address = wrong.replace(/\\(.)/g, '$1').replace(/^@|\$$/g, '');
  const nearest = closest(address, addresses).replaceAll('*', '\\*');
  return `--grep: no requirement has the address @${address}; the nearest is @${nearest} (npm run requirements lists all)`;
}

/** The parts of a pattern that begin with an address. With groups it is more than a list of them. */
const alternatives = (pattern: string) =>
  pattern.includes('(')
    ? []
    : pattern.split('|').flatMap((one) => (one.includes('@') ? [one.slice(one.indexOf('@'))] : []));

/** As Playwright compares: in any letter case. A pattern that is none is Playwright's to reject. */
function selectsAny(pattern: string, addresses: string[]): boolean {
  try {
    const expression = new RegExp(pattern, 'i');
    return addresses.some((address) => expression.test(`@${address}`));
  } catch {
    return true;
  }
}
