import { randomUUID } from 'node:crypto';

/*
 * A run has an id. Its results carry it, and its workers inherit it, so that nobody judges by results of another run.
 * Environment variables, since workers are processes of their own that Playwright starts.
 */

const { env, argv } = process;

/** The id of the run that this process belongs to. */
export const currentRun = (): string | undefined => env.CONFORMANCE_RUN || undefined;

/** Why the tests of this run cannot be judged, when that is known before they start. */
export const runProblem = (): string | undefined => env.CONFORMANCE_PROBLEM || undefined;

/** Whether a test without results starts the run itself: global setup has not asked for this run. */
export const asksOnDemand = (): boolean => !currentRun() || env.CONFORMANCE_ON_DEMAND === '1';

/** Names a new run, for this process and for those that it starts. */
export function nameRun({ onDemand }: { onDemand: boolean }): string {
  const run = randomUUID();
  env.CONFORMANCE_RUN = run;
  env.CONFORMANCE_PROBLEM = '';
  env.CONFORMANCE_ON_DEMAND = onDemand ? '1' : '0';
  return run;
}

/** Tells the workers of the current run why they cannot judge. */
export function tellProblem(sentence: string): void {
  env.CONFORMANCE_PROBLEM = sentence;
}

/** Variables of a process that belongs to a run. */
export const environmentOf = (run: string): NodeJS.ProcessEnv => ({ ...env, CONFORMANCE_RUN: run });

/** UI mode, the editor extension, watch mode: Playwright stays open, and each click is a run. */
export const isInteractive = (): boolean =>
  argv[2] === 'test-server' ||
  argv.some((argument) => /^--ui(-host|-port)?(=|$)/.test(argument)) ||
  Boolean(env.PWTEST_WATCH);

/** `playwright test --list`: nothing is asked or written. */
export const isListing = (): boolean => argv.includes('--list');

/** The process of `playwright test` that runs tests once and ends, not one of its workers. */
export const isSingleRun = (): boolean => argv[2] === 'test' && !isListing() && !isInteractive();
