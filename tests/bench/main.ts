import { spawnSync } from 'node:child_process';
import { loadContract } from '../../schemas/contract.ts';
import { readConfiguration } from '../client/target.ts';
import { requirementsFor } from '../run/results.ts';

const playwright = 'node_modules/@playwright/test/cli.js';
const rounds = 5;
const env = {
  ...process.env,
  EMPTY_TESTS: String(requirementsFor(loadContract(), readConfiguration().target).length),
};

/** Seconds that one Playwright run takes as a process. @throws when it fails. */
function seconds(args: string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, [playwright, 'test', ...args], { stdio: 'ignore', env });
  if (status !== 0) throw new Error(`playwright test ${args.join(' ')} ended with ${status}`);
  return (performance.now() - start) / 1000;
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

/** Full runs and bare ones in turn, so that both see the same machine. */
const pairs = Array.from({ length: rounds }, () => ({
  bare: seconds(['--config', 'tests/bench']),
  full: seconds([]),
}));
const bare = median(pairs.map((pair) => pair.bare));
const full = median(pairs.map((pair) => pair.full));
const ratio = median(pairs.map((pair) => pair.full / pair.bare));
process.stdout.write(
  [
    `bare run, as many empty tests   ${bare.toFixed(2)} s`,
    `full run against the mock       ${full.toFixed(2)} s`,
    `full ÷ bare, median of ${rounds}        ${ratio.toFixed(2)}`,
    '',
  ].join('\n'),
);
