import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import { render } from '../../redaction/drafts.ts';
import type { Finding } from '../../redaction/observation.ts';
import { observe } from '../../redaction/observe.ts';

const contract = loadContract();

/** A finding with every word of the target shown. */
const settled = (finding: Finding): Finding => ({
  ...finding,
  pointer: render(finding.pointer, () => true),
  actual: render(finding.actual, () => true),
});

/** What is kept of an answer with HTTP 200, as text or as a value. */
function observed(
  id: string,
  body: unknown,
  ledger = contract.ledger,
  parameters: Record<string, string> = {},
) {
  const operation = contract.operations.find((one) => one.id === id);
  if (!operation) throw new Error(`no operation ${id}`);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { status: 200, contentType: 'application/json', body: Buffer.from(text) };
  const request = { operation: id, parameters: {}, configured: false, exchange: `GET ${id}`, repeat: '' };
  const observation = observe(operation, request, judge({ operation, parameters, answer }), ledger);
  return { ...observation, findings: observation.findings.map(settled) };
}

const rules = (fee_rules: unknown[]) => ({ code: 200, message: 'success', data: { fee_rules } });
const customers = (list: unknown[]) => ({ code: 200, data: { customers: list } });
const of = (findings: Finding[], kind: Finding['kind'], end: string) =>
  findings.filter((one) => one.kind === kind && one.requirement.endsWith(end));
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

test('places that differ in nothing but their index are one finding, with the first of them', () => {
  const list = [
    { dial_code: '+1', reference_number: 'a', uuid: 'b' },
    ...many(500, () => ({ dial_code: '+1', uuid: 'b' })),
  ];
  const { findings } = observed('listCustomers', customers(list));
  expect(findings).toEqual([
    expect.objectContaining({
      pointer: '/data/customers/1/reference_number',
      places: 500,
      kind: 'violation',
    }),
  ]);
});

test('what was received in too many forms is listed twenty times, and counted', () => {
  const list = many(500, (at) => ({ dial_code: 'x'.repeat(at + 1), reference_number: 'a', uuid: 'b' }));
  const { findings } = observed('listCustomers', customers(list));
  expect(findings).toHaveLength(21);
  expect(findings.at(-1)).toMatchObject({
    places: 480,
    actual: expect.stringContaining('and 480 more places'),
  });
});

test('undeclared fields without number are listed twenty times, and counted', () => {
  const fields = Object.fromEntries(many(50_000, (at) => [`field${at}`, 1]));
  const observation = observed('getFeeRules', { ...rules([]), ...fields });
  const found = of(observation.findings, 'undeclared', '/declared-fields');
  expect(found).toHaveLength(21);
  expect(found.at(-1)?.places).toBe(50_000 - 20);
  expect(JSON.stringify(observation).length).toBeLessThan(20_000);
});

test('what is tolerated, in however many ways, never takes the place of a violation', () => {
  const ledger = readLedger(
    `- requirement: getCard/data/card/limits/*/period/values-that-occur\n  accepts: { schema: { type: string, minLength: 3 } }\n  because: known\n  source: "2"\n`,
    contract,
  );
  const word = (at: number) => `per${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`;
  const limits = [...many(100, word), 'No'].map((period) => ({
    period,
    limit_amount: '1',
    used_amount: '1',
  }));
  const { findings } = observed('getCard', { code: 200, message: '', data: { card: { limits } } }, ledger);
  const deviations = of(findings, 'deviation', '/values-that-occur');
  expect(deviations.map(({ places }) => places)).toEqual([...many(20, () => 1), 80]);
  expect(of(findings, 'violation', '/values-that-occur')).toEqual([
    expect.objectContaining({
      pointer: '/data/card/limits/100/period',
      actual: 'the string "No"',
      places: 1,
    }),
  ]);
});

test('a name that the ledger tolerates in place of a field is not reported as undeclared, elsewhere it is', () => {
  const fees = { fixed_fee: '1', percentage_fee: '1' };
  const body = rules([
    { ...fees, p_user_id: 'u' },
    { ...fees, p_user_id: 7 },
    { ...fees, user_id: 'u', p_user_id: 'u' },
  ]);
  const { findings } = observed('getFeeRules', body);
  expect(of(findings, 'undeclared', '').map(({ pointer }) => pointer)).toEqual([
    '/data/fee_rules/1/p_user_id',
    '/data/fee_rules/2/p_user_id',
  ]);
  expect(of(findings, 'deviation', '/user_id')).toHaveLength(1);
  expect(of(findings, 'violation', '/user_id')).toHaveLength(1);
});

test('a pointer that is very long is cut, and says so', () => {
  const deep = `${'{"step":'.repeat(1000)}{"a":1,"a":1}${'}'.repeat(1000)}`;
  const [finding] = observed('getFeeRules', `{"code":200,"message":"","data":${deep}}`).findings;
  expect(finding).toMatchObject({ requirement: 'getFeeRules/rules/unique-keys', places: 1 });
  expect(finding?.pointer).toMatch(/^(\/[a-z]+)+\/…$/);
  expect(finding?.pointer.length).toBeLessThan(310);
});

// A repeated key whose first value led the path of a number to what all objects inherit.
test('an answer cannot write the verdict on itself', () => {
  const number = '1.00000000000000000001';
  const text = `{"code":500,"data":"nonsense","x":{"__proto__":{"needs":${number},"when":${number}}},"x":{}}`;
  for (const { id } of contract.operations) {
    const { findings } = observed(id, text);
    expect(findings.map(({ requirement }) => requirement)).toEqual([`${id}/rules/unique-keys`]);
  }
  for (const name of ['needs', 'when']) expect(name in {}).toBe(false);
});

const odd: [name: string, value: unknown][] = [
  ['an object that cannot be written as text', { toString: 1 }],
  ['an object with the names of methods', { valueOf: 1, toJSON: 1 }],
  ['an array', [[]]],
];

for (const [name, value] of odd) {
  test(`${name} in place of a word is a violation`, () => {
    const token = { token_type: value, token: 't', state: 's', default: true };
    const customer = { dial_code: '+1', reference_number: 'a', uuid: 'b', default_payment_token: token };
    const list = observed('listCustomers', customers([customer]));
    expect(list).toMatchObject({ findings: [{ requirement: expect.stringMatching(/token_type$/) }] });
    const fees = observed(
      'getFeeRules',
      rules([{ fixed_fee: value, percentage_fee: value, user_id: value }]),
    );
    expect(fees.findings.map(({ kind, places }) => [kind, places])).toEqual(many(3, () => ['violation', 1]));
    expect([list.blocked, fees.blocked]).toEqual([undefined, undefined]);
  });
}

test('a success is recognized beside a value of any depth', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const text = `{"code":200,"message":"","data":{"fee_rules":[]},"x":${deep}}`;
  const { findings } = observed('getFeeRules', text, [], { type: 'user' });
  expect(findings).toEqual([expect.objectContaining({ actual: 'HTTP 200 with a success' })]);
});
