import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { buildReport } from '../../../reports/conformance.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { writeWhole } from '../../../src/client/files.ts';
import { readResults, writeResults } from '../../../src/run/results.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import type { Results } from '../../../src/verdict/results.ts';
import { verdictSentence } from '../../../src/verdict/sentence.ts';
import { concludeRun } from '../../../src/verdict/verdict.ts';
import { exampleTarget, resultsOf } from '../harness/examples.ts';

const contract = loadContract();

const folder = () => {
  const created = test.info().outputPath('reports');
  mkdirSync(created, { recursive: true });
  return created;
};

test('a file is written whole or not at all', () => {
  const file = path.join(folder(), 'conformance.md');
  mkdirSync(path.join(file, 'in the way'), { recursive: true });
  expect(() => writeWhole(file, 'text')).toThrow('EISDIR');
  expect(() => writeWhole('/sys/report', 'text')).toThrow(/EACCES|EROFS/);
  expect(readdirSync(path.dirname(file))).toEqual(['conformance.md']);
});
test('reports that cannot be written whole leave none that passes', async () => {
  const reportsDir = folder();
  mkdirSync(path.join(reportsDir, 'contract.html', 'x'), { recursive: true });
  const results = await resultsOf((_, usual) => usual);
  const report = buildReport(inputOf(results), new Date());
  expect(() => writeReports(contract, report, reportsDir)).toThrow();
  expect(readdirSync(reportsDir)).not.toContain('conformance.json');
});

/** A run of which every requirement was selected. */
function inputOf(results: Results) {
  const startedAt = new Date('2026-01-01T00:00:00.000Z');
  return {
    contract,
    target: exampleTarget(),
    results,
    addresses: results.requirementResults.map(({ address }) => address),
    failed: new Set<string>(),
    problems: [],
    startedAt,
  };
}

test('a test that fails without a violation, and a blocked requirement, make a run an error', async () => {
  const target = exampleTarget({ reportsDir: folder() });
  writeResults(target, await resultsOf((_, usual) => usual));
  const own = evaluate(contract, target, readResults(target.reportsDir));
  expect(concludeRun({ ...inputOf(own), failed: new Set(['getCard/code']) }).verdict).toBe('error');
  const all = concludeRun(inputOf(own));
  const requirements = all.requirements.map((one, index) =>
    index === 1 ? ({ ...one, verdict: 'blocked', reason: 'why' } as const) : one,
  );
  expect(all.verdict).toBe('pass');
  const sentence = `ERROR: 1 of ${requirements.length} requirements cannot be judged: why`;
  expect(verdictSentence({ ...all, verdict: 'error', requirements })).toContain(sentence);
  const nothing = concludeRun({ ...inputOf(own), addresses: ['run/target'] });
  expect(verdictSentence(nothing)).toMatch(
    /^PASS of 0 selected .*: no requirement was selected, so none was judged$/,
  );
});
