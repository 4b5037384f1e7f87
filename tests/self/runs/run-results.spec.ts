import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { buildReport } from '../../../reports/conformance.ts';
import { writeReports } from '../../../reports/write.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { writeAtomically } from '../../../src/client/files.ts';
import { readResults, writeResults } from '../../../src/run/results.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import type { Results } from '../../../src/verdict/results.ts';
import { formatVerdictSentence } from '../../../src/verdict/sentence.ts';
import { type CustomTest, concludeRun } from '../../../src/verdict/verdict.ts';
import { evaluateReplies, exampleTarget } from '../harness/examples.ts';

const contract = loadContract();

const createFolder = () => {
  const reportsFolder = test.info().outputPath('reports');
  mkdirSync(reportsFolder, { recursive: true });
  return reportsFolder;
};

test('a file is written whole or not at all', () => {
  const file = path.join(createFolder(), 'conformance.md');
  mkdirSync(path.join(file, 'in the way'), { recursive: true });
  expect(() => writeAtomically(file, 'text')).toThrow('EISDIR');
  expect(() => writeAtomically('/sys/report', 'text')).toThrow(/EACCES|EROFS/);
  expect(readdirSync(path.dirname(file))).toEqual(['conformance.md']);
});
test('an error while reports are written leaves no report that passes', async () => {
  const reportsDir = createFolder();
  mkdirSync(path.join(reportsDir, 'contract.html', 'x'), { recursive: true });
  const results = await evaluateReplies((_, usual) => usual);
  const report = buildReport(createRunInput(results), new Date());
  expect(() => writeReports(contract, report, reportsDir)).toThrow();
  expect(readdirSync(reportsDir)).not.toContain('conformance.json');
});

function createRunInput(results: Results) {
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
  const target = exampleTarget({ reportsDir: createFolder() });
  writeResults(target, await evaluateReplies((_, usual) => usual));
  const evaluated = evaluate(contract, target, readResults(target.reportsDir));
  expect(concludeRun({ ...createRunInput(evaluated), failed: new Set(['getCard/code']) }).verdict).toBe(
    'error',
  );
  const conclusion = concludeRun(createRunInput(evaluated));
  const requirements = conclusion.requirements.map((result, index) =>
    index === 1 ? ({ ...result, verdict: 'blocked', reason: 'why' } as const) : result,
  );
  expect(conclusion.verdict).toBe('pass');
  const sentence = `ERROR: 1 of ${requirements.length} requirements cannot be judged: why`;
  expect(formatVerdictSentence({ ...conclusion, verdict: 'error', requirements })).toContain(sentence);
  const emptyConclusion = concludeRun({ ...createRunInput(evaluated), addresses: ['run/target'] });
  expect(formatVerdictSentence(emptyConclusion)).toMatch(
    /^PASS of selected tests: no requirement was selected, so none was judged$/,
  );
  const concludeCustom = (customTests: CustomTest[]) =>
    concludeRun({ ...createRunInput(evaluated), addresses: [''], customTests });
  const passedTest = { title: 'another test', failed: false };
  const skippedTest = { ...passedTest, skipped: true } as const;
  expect(formatVerdictSentence(concludeCustom([passedTest, passedTest, skippedTest]))).toBe(
    'PASS of selected tests: 2 custom tests passed, 1 skipped; no requirement was selected',
  );
  const failedTests = ['a', 'b', 'c', 'd', 'e'].map((title) => ({ title, failed: true }));
  const failedConclusion = concludeCustom([passedTest, ...failedTests]);
  expect(formatVerdictSentence(failedConclusion)).toBe(
    'FAIL of selected tests: no requirement was selected, but 5 of 6 custom tests failed',
  );
  expect(failedConclusion.gates).toMatchObject([{ actual: '5 failed: a; b; c; d; e' }]);
});
