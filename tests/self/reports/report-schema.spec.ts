import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { buildReport } from '../../../reports/build-report.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { contractPage } from '../../../reports/pages/contract-page.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../configuration/target.ts';
import { requestsOf } from '../../run/requests-made.ts';
import { exampleTarget, json, type Reply, resultsOf } from '../harness/examples.ts';

const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
const file = new URL('../../../reports/schemas/conformance.schema.json', import.meta.url);
const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')));

/** What the schema has against a value: place and reason. */
function objections(value: unknown): string[] {
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const gates = ['target', 'coverage', 'ledger', 'server-errors', 'drift'].map((name) => `run/${name}`);

interface Overrides {
  target?: Partial<Target>;
  problems?: string[];
  failed?: string[];
}

async function concluded(reply: Reply, { target = {}, problems = [], failed = [] }: Overrides = {}) {
  const results = await resultsOf(reply, target);
  const input = {
    contract: loadContract(),
    target: exampleTarget(target),
    results: { ...results, requests: requestsOf(results.observations, []) },
    addresses: [...gates, ...results.requirementResults.map(({ address }) => address)],
    failed: new Set(failed),
    problems,
    startedAt: new Date('2026-01-01T00:00:00.000Z'),
  };
  return buildReport(input, new Date('2026-01-01T00:00:01.500Z'));
}

const usual: Reply = (_, answer) => answer;
const numericFees: Reply = ({ operation, parameters }, answer) =>
  operation === 'getFeeRules' && answer.status === 200
    ? json(200, {
        code: 200,
        message: 'success',
        data: { fee_rules: [{ fixed_fee: 1, percentage_fee: '2', p_user_id: parameters.user_id ?? 'usr' }] },
      })
    : answer;
const outOfOrder: Reply = ({ operation }, answer) => (operation === 'getFeeRules' ? json(503, {}) : answer);
const textualCode: Reply = ({ operation }, answer) =>
  operation === 'getCard' ? json(200, { code: '200', message: 'success', data: {}, mesage: '' }) : answer;

const runs: [name: string, Reply, Overrides, Conformance['verdict'], kinds: string[]][] = [
  ['a pass', usual, {}, 'pass', []],
  ['a pass with deviations', numericFees, {}, 'pass', ['deviation']],
  [
    'a fail in the documented profile',
    numericFees,
    { target: { profile: 'documented' } },
    'fail',
    ['violation'],
  ],
  ['a fail', textualCode, {}, 'fail', ['undeclared', 'violation']],
  [
    'undeclared fields that fail',
    textualCode,
    { target: { undeclaredFields: 'fail' } },
    'fail',
    ['violation'],
  ],
  ['coverage below the gate', usual, { target: { minCoverage: 100 } }, 'fail', ['coverage']],
  ['an unreachable target', () => ({ blocked: 'the connection was refused' }), {}, 'error', ['blocked']],
  [
    'an unreachable target, with a gate on coverage',
    () => ({ blocked: 'the connection was refused' }),
    { target: { minCoverage: 100 } },
    'error',
    ['blocked', 'coverage'],
  ],
  ['missing credentials', () => json(401, {}), {}, 'error', ['blocked']],
  ['a target that is partly out of order', outOfOrder, {}, 'error', ['blocked']],
  ['a configuration with a mistake', usual, { problems: ['PROFILE must be one of: …'] }, 'error', []],
  ['a test that failed by itself', usual, { failed: ['getCard/code'] }, 'error', []],
];

for (const [name, reply, overrides, verdict, kinds] of runs) {
  test(`conformance.json of ${name} follows its schema`, async () => {
    const conformance = await concluded(reply, overrides);
    expect(conformance.verdict).toBe(verdict);
    expect([...new Set(conformance.findings.map(({ kind }) => kind))].sort()).toEqual(kinds);
    expect(objections(JSON.parse(JSON.stringify(conformance)))).toEqual([]);
  });
}

test('the contract page lists the requests that were made of each operation', async () => {
  const page = contractPage(loadContract(), await concluded(usual));
  for (const { id } of loadContract().operations) expect(page).toContain(`id="${id}/requests"`);
  expect(page).toMatch(/<li><code>GET [^<]*\{CARD_IDS\[0\]\}<\/code> HTTP 200, \d+ bytes<\/li>/);
});

test('conformance.json of a run that could not begin follows its schema', () => {
  const input = {
    contract: loadContract(),
    target: exampleTarget(),
    results: { run: undefined, observations: [], requirementResults: [] },
    addresses: [],
    failed: new Set<string>(),
    problems: ['BASE_URL is not a URL'],
    startedAt: new Date(0),
  };
  const conformance = buildReport(input, new Date(1));
  expect(conformance).toMatchObject({
    verdict: 'error',
    notes: expect.arrayContaining(['BASE_URL is not a URL']),
  });
  expect(objections(conformance)).toEqual([]);
});

const oneOf = 'must be equal to one of the allowed values';

/** Where `conformance.json` is changed to what (undefined removes it), and what the schema says then. */
const wrong: [place: string, value: unknown, objection: string][] = [
  ['verdict', undefined, " must have required property 'verdict'"],
  ['verdict', 'green', `/verdict ${oneOf}`],
  ['colour', 1, ' must NOT have additional properties'],
  ['schemaVersion', 3, `/schemaVersion ${oneOf}`],
  ['startedAt', 'now', '/startedAt must match format "date-time"'],
  ['findings/0/kind', 'bug', `/findings/0/kind ${oneOf}`],
  ['findings/0/value', '4111', '/findings/0 must NOT have additional properties'],
  ['findings/0/pointer', 'data.card', '/findings/0/pointer must match pattern "^(http|request|(/.*)?)$"'],
  ['requirements/0/verdict', 'skipped', `/requirements/0/verdict ${oneOf}`],
  ['requirements/0/level', 'MAY', `/requirements/0/level ${oneOf}`],
  ['coverage/nodes/percentage', 101, '/coverage/nodes/percentage must be <= 100'],
];

for (const [place, value, objection] of wrong) {
  test(`the schema rejects ${place} ${value === undefined ? 'missing' : `= ${value}`}`, async () => {
    const conformance = JSON.parse(JSON.stringify(await concluded(textualCode)));
    const steps = place.split('/');
    const name = steps.pop() ?? '';
    const parent = steps.reduce((at, step) => at[step], conformance);
    parent[name] = value;
    if (value === undefined) delete parent[name];
    expect(objections(conformance)).toEqual([objection]);
  });
}
