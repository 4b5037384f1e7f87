import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { copyProject } from '../harness/project-copy.ts';
import { startSuite } from '../harness/whole-run.ts';
import { addPayouts, operation } from './fifth-operation/edits.ts';

test('a fifth operation runs, each of its requirements has a fault, and the suite finds each derived fault', async () => {
  const folder = copyProject(test.info().outputPath('copy'), (file) => !file.includes('/recordings/'));
  addPayouts(folder);
  // Specs below `proof/` run in the worker of whole runs, so that one worker runs all of them.
  const locateTestFile = (file: string) => path.join(folder, 'tests/self', file);
  renameSync(locateTestFile('project/fifth-operation'), locateTestFile('proof/fifth-operation'));
  renameSync(
    locateTestFile('proof/fifth-operation/run.ts'),
    locateTestFile('proof/fifth-operation/run.spec.ts'),
  );
  const specs = ['self/proof/proof', 'self/proof/fifth-operation/'];
  const args = ['--config', 'tests/self', ...specs, '--grep', `${operation}/|every requirement has`];
  const { code, output } = await startSuite({}, args, folder).ended;
  expect(code, output).toBe(0);
  expect(Number(/(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(20);
  rmSync(folder, { recursive: true });
});
