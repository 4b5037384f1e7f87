import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import ajvDraft4 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { altering, set } from '../../../mock/edits.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { sarifOf } from '../../../reports/sarif.ts';
import { loadContract, readSpecTexts, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { judgedRun } from '../harness/judged-runs.ts';
import { inTurn } from '../proof/variants/variant.ts';

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

let red: Conformance;
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  red = await judgedRun(
    {
      alter: inTurn(
        altering('getCard', set('data/card/expiration_date', 'SECRET')),
        altering('getCard', set('data/card/limits/0/period', 'Secretly')),
        altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
      ),
    },
    { name: 'staging' },
  );
});

/** The same run with these requirements violated, and no other one listed. */
const violating = (requirements: object[]): Conformance => ({
  ...red,
  requirements: requirements.map(
    (one) => ({ ...one, verdict: 'violation' }) as Conformance['requirements'][0],
  ),
});

test('each violated requirement is one result, at its line, with rule and fingerprint, without values', () => {
  const log = sarifOf(loadContract(), red);
  expect(objections(log)).toEqual([]);
  const [run] = log.runs;
  expect(run?.results).toEqual([
    {
      ruleId: 'getCard/data/card/expiration_date',
      ruleIndex: 0,
      level: 'error',
      message: { text: 'Violated in 8 of 8 places, in 8 of 8 requests.' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'spec/openapi.yaml', uriBaseId: '%SRCROOT%' },
            region: { startLine: lineWith('        expiration_date:') },
          },
        },
      ],
      partialFingerprints: { 'requirementOfTarget/v1': 'getCard/data/card/expiration_date staging' },
    },
  ]);
  expect(run?.tool.driver.rules?.map(({ id }) => id)).toEqual(['getCard/data/card/expiration_date']);
  expect(run?.tool.driver.rules?.[0]?.help?.text).toContain('contract section 2.2');
  expect(JSON.stringify(log)).not.toMatch(/secret|shaped/i);
  expect(objections({ ...log, version: '2.0.0' })).toEqual([
    '/version must be equal to one of the allowed values',
  ]);
});

const text = (name: keyof SpecTexts) => readSpecTexts()[name].split('\n');
const lineWith = (start: string) => text('openapi.yaml').findIndex((line) => line.startsWith(start)) + 1;

/** What stands in the line of a requirement. */
function expectedIn(address: string): string {
  const [, kind, ...rest] = address.split('/');
  const last = rest.at(-1) ?? kind ?? '';
  if (kind === 'http') return last === 'status' ? '"200":' : 'application/json:';
  if (kind === 'parameters') return `- name: ${last}`;
  if (kind === 'rules') return `- address: rules/${last}`;
  if (last === 'present-with-card-token') return `- address: data/`;
  if (last === 'values-that-occur') return 'x-values-that-occur:';
  return last === '*' ? 'items:' : last === 'body' ? 'schema:' : `${last}:`;
}

test('the line of each requirement is the one that it is derived from', () => {
  const run = violating(requirementsOf(loadContract()));
  const places = (sarifOf(loadContract(), run).runs[0]?.results ?? []).map(
    ({ ruleId = '', locations = [] }) => {
      const { artifactLocation, region } = locations[0]?.physicalLocation ?? {};
      return { address: ruleId, file: artifactLocation?.uri ?? '', line: region?.startLine ?? 0 };
    },
  );
  for (const { address, file: name, line } of places) {
    const found = text(name.slice('spec/'.length) as keyof SpecTexts)[line - 1]?.trim();
    expect(found?.startsWith(expectedIn(address)), `${address} at ${name}:${line}: ${found}`).toBe(true);
  }
  const rules = places.filter(({ address }) => address.endsWith('/rules/id-is-requested'));
  expect(new Set(rules.map(({ line }) => line)).size).toBe(2);
});

test('a run of which nothing sure can be said is not taken for one in which all is fixed', async () => {
  const run = await judgedRun({ alter: (answer) => ({ ...answer, status: 401 }) });
  const log = sarifOf(loadContract(), run);
  expect(objections(log)).toEqual([]);
  expect(log.runs[0]).toMatchObject({ results: [], invocations: [{ executionSuccessful: false }] });
});

test('every requirement may be violated, those of another contract among them', () => {
  const unknown = { ...red.requirements[0], address: 'getNothing/data/x' };
  const requirements = [...red.requirements, unknown];
  const log = sarifOf(loadContract(), violating(requirements));
  expect(objections(log)).toEqual([]);
  expect(log.runs[0]?.results?.length).toBe(requirements.length);
  const should = log.runs[0]?.results?.filter(({ level }) => level === 'warning').map(({ ruleId }) => ruleId);
  expect(should).toEqual(
    red.requirements.filter(({ level }) => level === 'SHOULD').map(({ address }) => address),
  );
});
