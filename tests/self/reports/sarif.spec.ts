import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import ajvDraft4 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import type { Conformance } from '../../../reports/conformance.ts';
import { sarifOf } from '../../../reports/sarif.ts';
import { loadContract, readSpecTexts, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { judgedRun } from '../harness/judged-runs.ts';

// As strict as the official schema lets: one of its patterns is none with the flag `u`.
const lenient = { strictTypes: false, strictTuples: false, strictRequired: false, unicodeRegExp: false };
const ajv = new ajvDraft4.default({ strictSchema: true, allErrors: true, ...lenient });
addFormats.default(ajv);
const file = new URL('sarif/sarif-2.1.0-rtm.5.json', import.meta.url);
const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')));

function objections(value: unknown): string[] {
  validate(JSON.parse(JSON.stringify(value)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('every requirement may be violated, each at its rule or its operation, and one of another contract', async () => {
  const run = await judgedRun();
  const all = requirementsOf(loadContract());
  const unknown = { ...run.requirements[0], address: 'getNothing/data/x' };
  const violated = [...all, unknown].map((one) => ({ ...one, verdict: 'violation' }));
  const log = sarifOf(loadContract(), { ...run, requirements: violated as Conformance['requirements'] });
  expect(objections(log)).toEqual([]);
  expect(objections({ ...log, version: '2.0.0' })).not.toEqual([]);
  const texts = readSpecTexts();
  const results = log.runs[0]?.results ?? [];
  expect(results.map(({ ruleId }) => ruleId)).toEqual(violated.map(({ address }) => address));
  const paths = new Map(loadContract().operations.map(({ id, path }) => [id, path]));
  for (const [index, { address, level, kind, operation }] of all.entries()) {
    const { artifactLocation, region } = results[index]?.locations?.[0]?.physicalLocation ?? {};
    const lines = texts[artifactLocation?.uri?.slice('spec/'.length) as keyof SpecTexts].split('\n');
    const found = lines[(region?.startLine ?? 0) - 1]?.trim();
    const says =
      kind === 'rule' ? `- address: ${address.slice(operation.length + 1)}` : `${paths.get(operation)}:`;
    expect(found, address).toContain(says);
    expect(results[index]?.level, address).toBe(level === 'MUST' ? 'error' : 'warning');
  }
});
