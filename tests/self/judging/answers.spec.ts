import { expect, test } from '@playwright/test';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { classify, classifyStatus, type ResponseKind } from '../../../schemas/judge/classify.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import type { RecordedParts } from '../../../schemas/judge/judged.ts';
import { json } from '../harness/examples.ts';

const operation = loadContract().operations.find(({ id }) => id === 'getFeeRules') as Operation;
const rules = '[{"fixed_fee":"1","percentage_fee":"x"}]';

/** What is said of a recorded answer: what it breaks, and what it exercises beside the fields. */
function judged(
  body: string,
  recorded?: RecordedParts,
  { parameters = { type: 'business' }, status = 200, contentType = 'text/html' } = {},
) {
  const answer = { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
  const found = judge({ operation, parameters, answer, ...(recorded ? { recorded } : {}) });
  const short = (address: string) => address.replace('getFeeRules/', '');
  return {
    broken: found.broken.map((one) => short(one.requirement) + (one.places > 1 ? ` ×${one.places}` : '')),
    exercised: Object.keys(found.exercised)
      .map(short)
      .filter((one) => !/^(code|message|data)/.test(one)),
  };
}

const twice = `{"code":200,"code":200,"message":"","data":{"fee_rules":${rules}}}`;

test('of an answer that is held whole, all is judged', () => {
  const { broken, exercised } = judged(twice, { headers: true, body: 'text' });
  expect(broken).toEqual(['http/content-type', 'rules/unique-keys']);
  expect(exercised).toEqual(expect.arrayContaining(['http/status', 'http/json', 'rules/unique-keys']));
  expect(judged(twice)).toEqual({ broken, exercised });
  const often = twice.replace('"code":200,', '"code":200,'.repeat(25));
  expect(judged(often).broken).toEqual(['http/content-type', 'rules/unique-keys ×25']);
  expect(judged('{"code":42201}')).toMatchObject({ exercised: expect.arrayContaining(['body']) });
});

test('a required field that is missing everywhere is exercised once', () => {
  const answer = json(200, {
    code: 200,
    message: '',
    data: { fee_rules: [{ fixed_fee: '1' }, { fixed_fee: '2' }] },
  });
  const { broken, exercised } = judge({ operation, parameters: { type: 'business' }, answer });
  const requirement = 'getFeeRules/data/fee_rules/*/percentage_fee';
  expect(broken).toMatchObject([{ requirement, places: 2 }]);
  expect(exercised[requirement]).toBe(1);
});

test('of a value that somebody has read, nothing is said of how it was written', () => {
  const { broken, exercised } = judged(twice, { headers: true, body: 'value' });
  expect(broken).toEqual(['http/content-type', 'data/fee_rules/*/percentage_fee']);
  expect(exercised.filter((one) => /json|unique|finite/.test(one))).toEqual([]);
  const contentType = 'application/json';
  expect(judged('<html>', { headers: true, body: 'value' }, { contentType }).broken).toEqual([]);
});

test('of an answer without headers and body, the status is judged', () => {
  const nothing = { headers: false, body: 'nothing' } as const;
  expect(judged('', nothing)).toEqual({ broken: [], exercised: ['http/status', 'parameters/type'] });
  expect(judged('', nothing, { status: 201 }).broken).toEqual(['http/status']);
});

test('a rejection that the contract demands is not exercised by a success without its body', () => {
  const nothing = { headers: true, body: 'nothing' } as const;
  const parameters = { type: 'user' };
  expect(judged('', nothing, { parameters }).exercised).toEqual([]);
  expect(judged('', nothing, { parameters, status: 400 }).exercised).toHaveLength(1);
  expect(judged(twice, undefined, { parameters }).broken).toHaveLength(1);
});

for (const body of ['{"code":503}', '['.repeat(1001) + ']'.repeat(1001)])
  test(`of a target that is overloaded, or answers too deeply, nothing is judged: ${body.slice(0, 9)}`, () =>
    expect(judged(body)).toEqual({ broken: [], exercised: [] }));

const kinds: Partial<Record<ResponseKind, number[]>> = {
  rejection: [400, 402, 404, 499],
  unauthorized: [401, 403],
  proxy: [407],
  'rate limit': [429],
  overload: [408, 502, 503, 504, 520, 527],
  'server error': [500, 501, 505, 519, 528],
  other: [201, 302, 399],
};

test('what a response is by its status', () => {
  for (const [kind, statuses = []] of Object.entries(kinds))
    for (const status of statuses) expect(classifyStatus(operation, status), `${status}`).toBe(kind);
});

for (const [status, said, kind, code] of [
  [200, 399, 'rejection', 200],
  [200, 400, 'rejection', 400],
  [200, 599, 'server error', 599],
  [200, 600, 'rejection', 600],
  [200, 999_999, 'rejection', 999_999],
  [200, 1_000_000, 'rejection', 200],
  [404, 40_400, 'rejection', 40_400],
  [500, 404, 'server error', 500],
  [401, 404, 'unauthorized', 404],
] as const)
  test(`HTTP ${status} with code ${said} is of kind ${kind}`, () => {
    const answer = { status, headers: {}, body: Buffer.from(JSON.stringify({ code: said })) };
    expect(classify(operation, answer)).toEqual({ kind, code, hasEnvelope: true, hasRecord: false });
  });

for (const [name, status, code] of [
  ...[407, 429, 503].map((code) => [`HTTP ${code}`, code, code] as const),
  ['HTTP 200 with code 503', 200, 503] as const,
])
  test(`${name} says nothing of a user lookup without user_id`, () => {
    const answer = json(status, { code });
    const { broken, exercised, blocked } = judge({ operation, parameters: { type: 'user' }, answer });
    expect({ broken, exercised }).toEqual({ broken: [], exercised: {} });
    expect(blocked).toContain(name);
  });
