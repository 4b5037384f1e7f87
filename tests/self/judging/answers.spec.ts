import { expect, test } from '@playwright/test';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import {
  classifyResponse,
  classifyStatus,
  type ResponseKind,
  readMediaType,
} from '../../../schemas/judge/classify.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import type { RecordedParts } from '../../../schemas/judge/judged.ts';
import { json } from '../harness/examples.ts';

const operation = loadContract().operations.find(({ id }) => id === 'getFeeRules') as Operation;
const feeRules = '[{"fixed_fee":"1","percentage_fee":"x"}]';

/**
 * Judges a response of `getFeeRules`, by default with a wrong media type, and lists requirements without the prefix `getFeeRules/`.
 * @param recordedParts parts that a recording holds of the response; default: a response received from the target
 * @returns `broken`: violated requirements, such as `rules/unique-keys ×25` for 25 violations; `exercised`: exercised requirements,
 * except those of body fields such as `data/fee_rules`
 */
function judgeBody(
  body: string,
  recordedParts?: RecordedParts,
  { parameters = { type: 'business' }, status = 200, contentType = 'text/html' } = {},
): { broken: string[]; exercised: string[] } {
  const response = { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
  const result = judge({
    operation,
    parameters,
    response,
    ...(recordedParts ? { recorded: recordedParts } : {}),
  });
  const shortenAddress = (address: string) => address.replace('getFeeRules/', '');
  const broken = result.broken.map(({ requirement, violationCount }) => {
    const times = violationCount > 1 ? ` ×${violationCount}` : '';
    return shortenAddress(requirement) + times;
  });
  const fieldOfBody = /^(code|message|data)/;
  const addresses = Object.keys(result.exercised).map(shortenAddress);
  const exercised = addresses.filter((address) => !fieldOfBody.test(address));
  return { broken, exercised };
}

const bodyWithDuplicateKey = `{"code":200,"code":200,"message":"","data":{"fee_rules":${feeRules}}}`;

test('a completely recorded response is judged completely', () => {
  const { broken, exercised } = judgeBody(bodyWithDuplicateKey, { headers: true, body: 'text' });
  expect(broken).toEqual(['http/content-type', 'rules/unique-keys']);
  expect(exercised).toEqual(expect.arrayContaining(['http/status', 'http/json', 'rules/unique-keys']));
  expect(judgeBody(bodyWithDuplicateKey)).toEqual({ broken, exercised });
  const bodyWithManyKeys = bodyWithDuplicateKey.replace('"code":200,', '"code":200,'.repeat(25));
  expect(judgeBody(bodyWithManyKeys).broken).toEqual(['http/content-type', 'rules/unique-keys ×25']);
  expect(judgeBody('{"code":42201}')).toMatchObject({ exercised: expect.arrayContaining(['body']) });
});

test('an error in the body of HTTP 200 does not show that the parameters were accepted', () => {
  const judgeCode = (code: number) => {
    const response = json(200, { code, message: '', data: { fee_rules: [] } });
    return judge({ operation, parameters: { type: 'business' }, response });
  };
  expect(judgeCode(200).exercised).toHaveProperty(['getFeeRules/parameters/type'], 1);
  const rejection = judgeCode(40_001);
  expect(rejection.broken).toMatchObject([{ requirement: 'getFeeRules/code' }]);
  expect(rejection.exercised).not.toHaveProperty(['getFeeRules/parameters/type']);
});

test('a required field is exercised in each place from which it is missing', () => {
  const response = json(200, {
    code: 200,
    message: '',
    data: { fee_rules: [{ fixed_fee: '1' }, { fixed_fee: '2' }] },
  });
  const { broken, exercised } = judge({ operation, parameters: { type: 'business' }, response });
  const requirement = 'getFeeRules/data/fee_rules/*/percentage_fee';
  expect(broken).toMatchObject([{ requirement, violationCount: 2 }]);
  expect(exercised[requirement]).toBe(2);
});

test('a field is exercised in each place that has it, under its own or another name', () => {
  const fees = { fixed_fee: '1', percentage_fee: '2' };
  const rules = [
    { p_user_id: 'user-1', ...fees },
    { user_id: 'user-1', ...fees },
  ];
  const response = json(200, { code: 200, message: '', data: { fee_rules: rules } });
  const parameters = { type: 'user', user_id: 'user-1' };
  const { broken, exercised } = judge({ operation, parameters, response });
  const requirement = 'getFeeRules/data/fee_rules/*/user_id';
  expect(broken).toMatchObject([{ requirement, violationCount: 1 }]);
  expect(exercised[requirement]).toBe(2);
});

test('entries on the same line of two ledgers tolerate their own violations', () => {
  const requirement = 'getFeeRules/data/fee_rules/*/percentage_fee';
  const sharedKeys = { requirement, because: 'Tested.', line: 3 };
  const suiteEntry = { ...sharedKeys, accepts: { schema: { const: null } } } as const;
  const callerEntry = { ...sharedKeys, accepts: { missing: true }, file: 'ledger.yaml' } as const;
  const rules = [{ fixed_fee: '1', percentage_fee: null }, { fixed_fee: '2' }];
  const response = json(200, { code: 200, message: '', data: { fee_rules: rules } });
  const exchange = { operation, parameters: { type: 'business' }, response };
  expect(judge(exchange, [suiteEntry, callerEntry]).broken).toMatchObject([
    { entry: suiteEntry, violationCount: 1 },
    { entry: callerEntry, violationCount: 1 },
  ]);
});

test('an entry that accepts values of any type does not accept a missing field', () => {
  const requirement = 'getFeeRules/data/fee_rules/*/percentage_fee';
  const entry = { requirement, because: 'Tested.', line: 3, accepts: { schema: {} } };
  const rules = [{ fixed_fee: '1', percentage_fee: null }, { fixed_fee: '2' }];
  const response = json(200, { code: 200, message: '', data: { fee_rules: rules } });
  const { broken } = judge({ operation, parameters: { type: 'business' }, response }, [entry]);
  expect(broken.map(({ entry: usedEntry, violationCount }) => [usedEntry, violationCount])).toEqual([
    [entry, 1],
    [undefined, 1],
  ]);
});

test('a body that is cut short is described by its end', () => {
  const body = Buffer.from(bodyWithDuplicateKey.slice(0, 40));
  const headers = { 'content-type': 'application/json' };
  const { broken } = judge({
    operation,
    parameters: { type: 'business' },
    response: { status: 200, headers, body },
  });
  expect(broken).toMatchObject([
    {
      requirement: 'getFeeRules/http/json',
      listedViolations: [{ actual: expect.stringMatching(/^JSON that ends .* byte 40/) }],
    },
  ]);
});

test('a recorded value is not judged by how its text was written', () => {
  const { broken, exercised } = judgeBody(bodyWithDuplicateKey, { headers: true, body: 'value' });
  expect(broken).toEqual(['http/content-type', 'data/fee_rules/*/percentage_fee']);
  expect(exercised.filter((address) => /json|unique|finite/.test(address))).toEqual([]);
  const contentType = 'application/json';
  expect(judgeBody('<html>', { headers: true, body: 'value' }, { contentType }).broken).toEqual([]);
});

test('a response recorded without headers and body is judged by its status', () => {
  const noBody = { headers: false, body: 'nothing' } as const;
  expect(judgeBody('', noBody)).toEqual({ broken: [], exercised: ['http/status'] });
  expect(judgeBody('', noBody, { status: 201 }).broken).toEqual(['http/status']);
});

test('a success without its body does not exercise a rejection that the contract demands', () => {
  const noBody = { headers: true, body: 'nothing' } as const;
  const parameters = { type: 'user' };
  expect(judgeBody('', noBody, { parameters }).exercised).toEqual([]);
  expect(judgeBody('', noBody, { parameters, status: 400 }).exercised).toHaveLength(1);
  expect(judgeBody(bodyWithDuplicateKey, undefined, { parameters }).broken).toHaveLength(1);
});

for (const body of ['{"code":503}', '['.repeat(1001) + ']'.repeat(1001)])
  test(`a response from an overloaded target, or nested too deeply, is not judged:  ${body.slice(0, 9)}`, () =>
    expect(judgeBody(body)).toEqual({ broken: [], exercised: [] }));

for (const [header, mediaType] of [
  ['Application/JSON; charset=utf-8', 'application/json'],
  ['application/json; charset=utf-8, application/json', 'application/json'],
  ['application/json; charset=utf-8, text/html', 'application/json, text/html'],
  ['text/html,application/json', 'text/html, application/json'],
  ['application/json; profile="a, b"', 'application/json'],
] as const)
  test(`the media type of ${header} is ${mediaType}`, () =>
    expect(readMediaType({ headers: { 'content-type': header } })).toBe(mediaType));

for (const [description, value] of [
  ['a long text', 'a'.repeat(8_000_000)],
  ['escaped quotation marks', '\\"'.repeat(4_000_000)],
  // Short, because each backslash could double the time of a pattern.
  ['backslashes', '\\'.repeat(15_000)],
] as const)
  test(`a quoted parameter of a media type that never ends is read at once: ${description}`, () => {
    const header = `application/json; profile="${value}`;
    expect(readMediaType({ headers: { 'content-type': header } })).toBe('application/json');
  });

const statusesByKind: Partial<Record<ResponseKind, number[]>> = {
  rejection: [400, 402, 404, 499],
  unauthorized: [401],
  forbidden: [403],
  proxy: [407],
  'rate limit': [429],
  overload: [408, 425, 502, 503, 504, 520, 527, 530],
  'server error': [500, 501, 505, 519, 528, 529, 531],
  other: [201, 302, 399],
};

test('the HTTP status decides the class of a response', () => {
  for (const [kind, statuses = []] of Object.entries(statusesByKind))
    for (const status of statuses) expect(classifyStatus(operation, status), `${status}`).toBe(kind);
});

for (const [status, bodyCode, kind, code] of [
  [200, 399, 'rejection', 200],
  [200, 400, 'rejection', 400],
  [200, 407, 'rejection', 407],
  [200, 599, 'server error', 599],
  [200, 600, 'rejection', 600],
  [200, 999_999, 'rejection', 999_999],
  [200, 1_000_000, 'rejection', 200],
  [400, 422, 'rejection', 422],
  [400, 500, 'rejection', 400],
  [400, 503, 'rejection', 400],
  [400, 429, 'rate limit', 429],
  [404, 40_400, 'rejection', 40_400],
  [500, 404, 'server error', 500],
  [401, 404, 'unauthorized', 404],
] as const)
  test(`HTTP ${status} with code ${bodyCode} is classified as ${kind}`, () => {
    const response = { status, headers: {}, body: Buffer.from(JSON.stringify({ code: bodyCode })) };
    expect(classifyResponse(operation, response)).toEqual({
      kind,
      code,
      hasEnvelope: true,
      hasRecord: false,
    });
  });

for (const [name, status, code] of [
  ...[407, 429, 503].map((code) => [`HTTP ${code}`, code, code] as const),
  ['HTTP 200 with code 503', 200, 503] as const,
])
  test(`${name} leaves a user lookup without user_id undecided`, () => {
    const response = json(status, { code });
    const { broken, exercised, blocked } = judge({ operation, parameters: { type: 'user' }, response });
    expect({ broken, exercised }).toEqual({ broken: [], exercised: {} });
    expect(blocked).toContain(name);
  });
