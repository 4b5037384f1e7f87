import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { ReporterRuntime } from 'allure-js-commons/sdk/reporter';
import HeldAllureReporter from '../../../reports/allure-reporter.ts';
import { holdFolder, lockOf } from '../../run/held-folder.ts';
import { takeLock } from '../../run/lock-file.ts';
import { noteUse } from '../../run/used-results.ts';
import { exampleTarget } from '../harness/examples.ts';

const folder = () => {
  const created = test.info().outputPath('reports');
  mkdirSync(created, { recursive: true });
  return created;
};

test('Allure receives nothing more once another run holds the folder', async () => {
  const reportsDir = folder();
  const reporter = new HeldAllureReporter({ resultsDir: path.join(reportsDir, 'allure-results') });
  const file = lockOf(reportsDir);
  holdFolder(reportsDir, takeLock(file, 'one'));
  // What is no test can be passed over, and not be told.
  const nothing = undefined as never;
  await expect(reporter.onTestEnd(nothing, nothing)).rejects.toThrow();
  writeFileSync(file, JSON.stringify({ pid: process.pid, machine: '', run: 'two' }));
  await reporter.onTestEnd(nothing, nothing);
  reporter.onStepEnd(nothing, nothing, nothing);
  await reporter.onEnd();
  expect(readdirSync(reportsDir)).toEqual(['run.lock']);
});

test('Allure writes a result without waiting for the disk', () => {
  const resultsDir = path.join(folder(), 'allure-results');
  const reporter = new HeldAllureReporter({ resultsDir });
  reporter.onBegin(undefined as never);
  const { writer } = Reflect.get(reporter, 'allureRuntime') as ReporterRuntime;
  const fs: typeof import('node:fs') = createRequire(import.meta.url)('node:fs');
  const { fsyncSync } = fs;
  let flushes = 0;
  fs.fsyncSync = (file) => {
    flushes += 1;
    fsyncSync(file);
  };
  writer.writeResult({ uuid: 'one' } as never);
  fs.fsyncSync = fsyncSync;
  expect(flushes).toBe(0);
  expect(readFileSync(path.join(resultsDir, 'one-result.json'), 'utf8')).toBe('{"uuid":"one"}');
});

test('a worker of a run that lost its folder notes nothing there', () => {
  const reportsDir = folder();
  const target = exampleTarget({ reportsDir });
  const observations = path.join(reportsDir, 'observations');
  mkdirSync(observations);
  const lock = takeLock(lockOf(reportsDir), 'another run');
  noteUse(target, 'getCard/body');
  expect(readdirSync(observations)).toEqual([]);
  lock.release();
  noteUse(target, 'getCard/body');
  expect(readdirSync(observations)).toEqual(['used.txt']);
});

test('a lock without an owner is that of a run that begins, unless it is old', () => {
  const file = lockOf(folder());
  writeFileSync(file, '');
  expect(() => takeLock(file, 'one')).toThrow('another run (process unknown) holds the lock');
  utimesSync(file, new Date(0), new Date(0));
  expect(takeLock(file, 'one').isHeld()).toBe(true);
  // The first process of a run holds the lock for all of them, while it lives.
  expect(takeLock(file, 'one').shared).toBe(true);
  utimesSync(file, new Date(0), new Date(0));
  expect(takeLock(file, 'one').shared).toBe(false);
});
