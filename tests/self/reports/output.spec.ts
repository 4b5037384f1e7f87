import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { reportFiles, writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { printable } from '../../../src/redact/printable.ts';
import { BrokenRequirement } from '../../contract/failure.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { judgedRun } from '../harness/judged-runs.ts';

const below = (name: string) => test.info().outputPath(name);
const hostile = 'a\u001b[2J\u001b]0;x\u0007b\u202ec\u0085\r';
const acting = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;

const fileOf = (name: string, content: unknown) => {
  writeFileSync(below(name), JSON.stringify(content));
  return below(name);
};

test('what is no text to a terminal is seen as such, and line breaks stay', async () => {
  expect(printable(`é✅ ⚠️\n\t${hostile}`)).toBe('é✅ ⚠️\n\ta�[2J�]0;x�b�c��');
  expect(new BrokenRequirement(hostile).stack).not.toMatch(acting);
  const file = fileOf(`${hostile}.json`, { [hostile]: 1 });
  const { stderr } = await runCommand('reports/compare.ts', [file, file, '--output', below('out')]);
  expect(stderr).toMatch(/^compare: \S.* is no conformance\.json/);
  expect(stderr).not.toMatch(acting);
});

test('no report for people holds what acts on a terminal', async () => {
  const run = await judgedRun();
  const traffic = { sources: [hostile], exchanges: 0, judged: 0, skipped: {}, broken: [hostile] };
  writeReports(loadContract(), { ...run, traffic, notes: [hostile] }, { reportsDir: below('reports') });
  for (const name of reportFiles.filter((one) => !one.endsWith('.json')))
    expect(readFileSync(below(`reports/${name}`), 'utf8'), name).not.toMatch(acting);
  expect(readFileSync(below('reports/contract.html'), 'utf8')).toContain('a�[2J');
});
