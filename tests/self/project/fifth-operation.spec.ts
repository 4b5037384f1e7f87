import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { copyProject } from '../harness/project-copy.ts';
import { startSuite } from '../harness/whole-run.ts';
import { addPayouts, operation } from './fifth-operation/edits.ts';

test('a fifth operation is run, each requirement of it has a fault, and each derived fault is killed', async () => {
  const folder = copyProject(test.info().outputPath('copy'), (file) => !file.includes('/recordings/'));
  addPayouts(folder);
  // In a folder of whole runs, so that one worker has all.
  const below = (file: string) => path.join(folder, 'tests/self', file);
  renameSync(below('project/fifth-operation'), below('proof/fifth-operation'));
  renameSync(below('proof/fifth-operation/run.ts'), below('proof/fifth-operation/run.spec.ts'));
  const specs = ['self/proof/proof', 'self/proof/fifth-operation/'];
  const args = ['--config', 'tests/self', ...specs, '--grep', `${operation}/|every requirement has`];
  const { code, output } = await startSuite({}, args, folder).ended;
  expect(code, output).toBe(0);
  expect(Number(/(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(20);
  rmSync(folder, { recursive: true });
});
