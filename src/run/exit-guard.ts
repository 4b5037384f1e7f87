import { isDiskFull, writeFailure } from '../client/files.ts';
import { thrown } from '../client/signing.ts';
import type { Target } from '../client/target.ts';
import type { RunVerdict } from '../verdict/verdicts.ts';
import { removeEarlierReports } from './reports-dir.ts';

let verdict: RunVerdict | undefined;

/** Says what a run has come to, once its reports are written. */
export function settleVerdict(settled: RunVerdict): void {
  verdict = settled;
}

/**
 * Lets this process end with status 0 only after a run has passed, also where something else ends it: a module that exits, an event
 * loop that runs empty. Then no report of an earlier run is left either. SIGTERM and SIGHUP end a run as SIGINT does, so
 * that the reports say it.
 */
export function guardExit({ authModule, reportsDir }: Pick<Target, 'authModule' | 'reportsDir'>): void {
  process.on('exit', (code) => {
    if (verdict === undefined) removeEarlierReports(reportsDir);
    if (code !== 0 || verdict === 'pass') return;
    process.exitCode = 1;
    if (verdict === undefined) process.stderr.write(`\n  ERROR: ${early(authModule)}\n`);
  });
  process.on('uncaughtException', endByError);
  // A run goes on to its reports where nobody reads what it prints any more, as behind `| head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Stays in place: proper-lockfile ends the process by the signal when it finds itself the only listener.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => process.emit('SIGINT'));
}

const early = (authModule: string | undefined) =>
  `the process was ended before the run had a verdict${authModule ? ': AUTH_MODULE must not end the process' : ''}`;

/** What an AUTH_MODULE throws where nobody can catch it, or a reporter that is not ours when the disk is full. */
export function endByError(error: unknown): void {
  const isFull = isDiskFull(error);
  if (!isFull && process.listenerCount('uncaughtException') > 1) return;
  // Not what it says: it may be an error of AUTH_MODULE.
  const what = isFull
    ? `the reports cannot be written to REPORTS_DIR: ${writeFailure(error)}`
    : `${thrown(error)} where nobody could catch it`;
  process.stderr.write(`\n  ERROR: ${what}\n`);
  process.exit(1);
}
