import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { runs, seed } from '../soak.ts';
import type { Fuzz, Fuzzed } from './judge-fuzz-process.ts';

test.setTimeout(3_600_000);

/** Fuzzes the judge in a process of its own, in which the prototypes can be frozen. */
async function fuzz(order: Fuzz): Promise<Fuzzed> {
  const file = fileURLToPath(new URL('judge-fuzz-process.ts', import.meta.url));
  const child = fork(file, { execArgv: ['--import', 'tsx'] });
  child.send(order);
  const [result] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Fuzzed];
  child.kill();
  return result;
}

test('any body is read, judged, described and written, and nothing inherited is touched', async () => {
  const tried = runs(800);
  const { failure, bodies, kilobytes, cpuMs } = await fuzz({ runs: tried, seed });
  expect(failure).toBeUndefined();
  expect(bodies).toBe(tried);
  // Ten times what was measured, with the judging of the smallest body.
  expect(cpuMs).toBeLessThan(bodies * 2 + kilobytes);
});
