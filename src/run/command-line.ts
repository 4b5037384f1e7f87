import { closest } from 'fastest-levenshtein';
import type { Target } from '../client/target.ts';
import { plainError } from './plain-error.ts';

const { argv } = process;

/** UI mode, or an editor: Playwright stays open, and each click is a run. */
export const isInteractive = (): boolean =>
  argv[2] === 'test-server' || argv.some((argument) => /^--ui(-host|-port)?(=|$)/.test(argument));

/** `playwright test --list`: nothing is asked or written. */
export const isListing = (): boolean => argv.includes('--list');

/** The process of `playwright test` that runs tests once and ends, not one of its workers. */
export const isSingleRun = (): boolean => argv[2] === 'test' && !isListing() && !isInteractive();

/** @throws an error for people when `--project` is there, which Playwright itself would only say is unknown. */
export function assertNoProject(target: Target): void {
  if (isSingleRun() && argv.some((argument) => /^--project(=|$)/.test(argument)))
    throw plainError(
      new Error('--project selects nothing here: select with --grep, and the target with BASE_URL'),
      target,
    );
}

/** @throws an error for people when `--grep` of a single run names an address that there is not. */
export function assertGrep(addresses: string[]): void {
  const problem = isSingleRun() ? grepProblem(grepIn(argv) ?? '', addresses) : undefined;
  if (problem) throw new Error(problem);
}

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

/**
 * Why a pattern, or an address in a list of them, selects none of some addresses: at most one sentence. What selects no title
 * either, Playwright says itself.
 */
export function grepProblem(pattern: string, addresses: string[]): string | undefined {
  const isAddress = pattern.includes('@') && !/^\/.*\/[gi]*$/.test(pattern);
  if (isAddress && pattern.includes('/*'))
    return `--grep is a regular expression: write \\* for *, in quotes: --grep '${pattern.replaceAll('/*', '/\\*')}'`;
  try {
    // With groups or classes it is more than a list.
    const listed = isAddress && !/[([]|\\\|/.test(pattern) ? pattern.split('|') : [];
    const tags = addresses.map((address) => `@${address}`);
    const wrong = listed
      .flatMap((one) => (one.includes('@') ? [one.slice(one.indexOf('@'))] : []))
      .find((one) => !tags.some((tag) => new RegExp(one, 'i').test(tag)));
    return wrong && unknownAddress(wrong, tags);
  } catch {
    return `--grep is no regular expression: ${pattern}`;
  }
}

function unknownAddress(pattern: string, tags: string[]): string {
  const address = pattern.replace(/\\(.)/g, '$1').replace(/\$$/, '');
  const nearest = closest(address, tags).replaceAll('*', '\\*');
  return `--grep: no requirement has the address ${address}; the nearest is ${nearest} (npm run requirements lists all)`;
}
