import type { Target } from '../client/target.ts';
import { plainError } from './terminal.ts';

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
