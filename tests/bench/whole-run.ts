import { spawnSync } from 'node:child_process';
import { loadContract } from '../../schemas/contract/contract.ts';
import { readConfiguration } from '../configuration/target.ts';
import { requirementsFor } from '../run/results.ts';
import { type Figure, median } from './measure.ts';

const playwright = 'node_modules/@playwright/test/cli.js';
const rounds = 9;
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

/** A whole run against the mock, and one of as many empty tests, in turn. */
export function wholeRunFigures(): Figure[] {
  const pairs = Array.from({ length: rounds }, () => ({
    bare: seconds(['--config', 'tests/bench']),
    full: seconds([]),
  }));
  return [
    { name: 'bare Playwright, as many empty tests', value: median(pairs.map(({ bare }) => bare)), unit: 's' },
    { name: 'whole run against the mock', value: median(pairs.map(({ full }) => full)), unit: 's' },
    {
      name: 'whole run ÷ bare Playwright',
      value: median(pairs.map(({ full, bare }) => full / bare)),
      unit: 'ratio',
      target: 1.3,
    },
  ];
}
