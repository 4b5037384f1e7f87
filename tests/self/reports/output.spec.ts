import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { clearOutput, fillOutput } from '../../../reports/output.ts';
import { reportFiles, writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { BrokenRequirement } from '../../contract/failure.ts';
import { printable } from '../../redaction/printable.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { judgedRun } from '../harness/judged-runs.ts';

const below = (name: string) => test.info().outputPath(name);
const hostile = 'a\u001b[2J\u001b]0;x\u0007b\u202ec\u0085\r';
const acting = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;

function fileAt(name: string, text = ''): string {
  mkdirSync(path.dirname(below(name)), { recursive: true });
  writeFileSync(below(name), text);
  return below(name);
}

test('a folder that cannot be made or written is one sentence, also where the disk accepts none', () => {
  const file = fileAt('file');
  fileAt('odd/compare.md/own');
  const places = [
    below('odd'),
    file,
    path.join(file, 'a/b'),
    ...(existsSync('/proc/self') ? ['/proc/a/b'] : []),
  ];
  for (const folder of places) {
    const output = { option: '--output', folder };
    const write = () => {
      clearOutput(output, ['compare.md']);
      fillOutput(output, () => writeFileSync(path.join(folder, 'compare.md'), ''));
    };
    expect(write, folder).toThrow(
      /^--output \(\S+\) cannot be written: .* (way|there); name another folder$/,
    );
  }
});

test('a comparison that is rejected leaves no earlier one', async () => {
  const files = ['package.json', 'package.json'];
  for (const wrong of [files, ['package.json'], [...files, '--fast']]) {
    const old = ['compare.html', 'compare.md'].map((name) => fileAt(`out/${name}`));
    const args = [...wrong, '--output', below('out')];
    expect(await runCommand('reports/compare.ts', args)).toMatchObject({ status: 2, stdout: '' });
    expect(old.filter((file) => existsSync(file))).toEqual([]);
  }
});

test('what is no text to a terminal is seen as such, and line breaks stay', async () => {
  expect(printable(`é✅ ⚠️\n\t${hostile}`)).toBe('é✅ ⚠️\n\ta�[2J�]0;x�b�c��');
  expect(new BrokenRequirement(hostile).stack).not.toMatch(acting);
  const file = fileAt(`${hostile}.json`, JSON.stringify({ [hostile]: 1 }));
  const { stderr } = await runCommand('reports/compare.ts', [file, file, '--output', below('out')]);
  expect(stderr).toMatch(/^compare: \S.* is no conformance\.json/);
  expect(stderr).not.toMatch(acting);
});

test('no report for people holds what acts on a terminal', async () => {
  const run = await judgedRun();
  const traffic = { sources: [hostile], exchanges: 0, judged: 0, skipped: {}, broken: [hostile] };
  const seen = { ...run.coverage.seen, [`getCard/data/card/${hostile} = 1`]: 3 };
  const odd = { ...run, traffic, notes: [hostile], coverage: { ...run.coverage, seen } };
  writeReports(loadContract(), odd, { reportsDir: below('reports') });
  const file = below('reports/conformance.json');
  const plain = fileAt('plain.json', JSON.stringify(run));
  const args = [file, plain, '--output', below('compared')];
  expect(await runCommand('reports/compare.ts', args)).toMatchObject({ status: 0, stderr: '' });
  const names = [
    ...reportFiles.map((name) => `reports/${name}`),
    'compared/compare.html',
    'compared/compare.md',
  ];
  for (const name of names.filter((one) => !one.endsWith('.json')))
    expect(readFileSync(below(name), 'utf8'), name).not.toMatch(acting);
  expect(readFileSync(below('reports/contract.html'), 'utf8')).toContain('a�[2J');
});
