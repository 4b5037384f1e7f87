import { expect, test } from '@playwright/test';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, expectAskedOnce, type WholeRun } from '../harness/whole-run.ts';
import type { Fault } from './faults/fault.ts';
import { allFaults } from './faults/index.ts';
import { fullRecords } from './full-records.ts';
import { inTurn } from './variants/variant.ts';

test.setTimeout(120_000);

const ids = (variable: string) => fullRecords[variable] ?? [];
const [cards, customers, users] = [ids('CARD_IDS'), ids('CUSTOMER_IDS'), ids('USER_IDS')];

/** Parameters of the requests in whose answers a fault is; undefined where one is left out. */
type Sent = Record<string, string | undefined>;

/**
 * Faults of the proof of every kind that a user may meet, by one provider, with where their findings must point to: those that
 * would show in the same answers are kept to requests of their own.
 */
const breaches: [name: string, pointer: string, sent?: Sent][] = [
  ['getCard: /data/card/expiration_date "13/28"', '/data/card/expiration_date', { id: cards[0] }],
  ['getCard: does not know the second record, by id', 'request'],
  [
    'getCard: /data/card/limits/*/limit_amount an integer',
    '/data/card/limits/\\d+/limit_amount',
    { id: cards[2] },
  ],
  ['getCard: another card', '/data/card/id', { id: cards[3] }],
  ['listCustomers: HTTP 201', 'http', { linked_source_type: 'Store', limit: undefined, offset: undefined }],
  ['listCustomers: dial code without plus, only for Store', '/data/customers/\\d+/dial_code'],
  ['listCustomers: rejects User', 'request'],
  ['getCustomer: content type text/html', 'http', { id: customers[0] }],
  ['getCustomer: a truncated body', 'http', { id: customers[2] }],
  ['getFeeRules: p_user_id as a number', '/data/fee_rules/0/\\w*user_id', { user_id: users[0] }],
  ['getFeeRules: code 200.00000000000000001', '/code', { user_id: users[1] }],
  ['getFeeRules: a key twice', '/code', { user_id: users[2] }],
  ['getFeeRules: no rules for a user who is not named', 'request'],
];

/** @throws where the proof has no such fault */
function faultNamed(name: string): Fault {
  const fault = allFaults.find((one) => one.name === name || one.name.startsWith(`${name}, in `));
  if (!fault) throw new Error(`no fault of the proof is called "${name}"`);
  return fault;
}

test('red: a provider with many faults', async () => {
  const alters = breaches.map(([name, , sent]) => {
    const { alter } = faultNamed(name);
    return sent ? onlyFor(sent, alter) : alter;
  });
  const run = await runInProcessAgainst(
    { alter: inTurn(...alters) },
    { CUSTOMER_IDS: customers.slice(0, 3).join() },
  );
  expect(addressesOf(run, 'violation').sort()).toEqual(
    breaches.map(([name]) => faultNamed(name).breaks).sort(),
  );
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  for (const [name, pointer] of breaches)
    expectReported(run, faultNamed(name).breaks, new RegExp(`^${pointer}$`));
  expect(run.output).not.toMatch(/^ {4}at /m);
  expectAskedOnce(run.requests);
});

const onlyFor =
  (sent: Sent, alter: Alter): Alter =>
  (answer, request: MockRequest) =>
    Object.entries(sent).every(([name, value]) => request.parameters[name] === value)
      ? alter(answer, request)
      : answer;

/** A violation is found at its place alone, and the terminal says all that its reader needs. */
function expectReported({ conformance, output }: WholeRun, breaks: string, pointer: RegExp): void {
  const found = (conformance?.findings ?? []).filter(({ requirement }) => requirement === breaks);
  expect(found.map((finding) => finding.pointer).filter((place) => !pointer.test(place))).toEqual([]);
  const { statement } = conformance?.requirements.find(({ address }) => address === breaks) ?? {};
  for (const said of [statement, found[0]?.expected, found[0]?.actual, found[0]?.repeat])
    expect(output).toContain(said ?? 'a finding');
  expect(found[0]?.repeat).toMatch(/^curl /);
}
