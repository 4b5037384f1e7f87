import { expect, test } from '@playwright/test';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { inTurn } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, expectRequestedOnce, type WholeRun } from '../harness/whole-run.ts';
import type { Fault } from './faults/fault.ts';
import { allFaults } from './faults/index.ts';
import { fullRecords } from './full-records.ts';

test.setTimeout(120_000);

const readIdentifiers = (variable: string) => fullRecords[variable] ?? [];
const [cards, customers, users] = [
  readIdentifiers('CARD_IDS'),
  readIdentifiers('CUSTOMER_IDS'),
  readIdentifiers('USER_IDS'),
];

type SentParameters = Record<string, string | undefined>;

/** Faults of one provider. `sent` limits a fault to some requests if another fault would break the same answer. */
const breaches: [name: string, pointer: string, sent?: SentParameters][] = [
  ['getCard: /data/card/expiration_date "13/28"', '/data/card/expiration_date', { id: cards[0] }],
  ['getCard: does not know the second record, by id', 'request'],
  [
    'getCard: /data/card/limits/*/limit_amount an integer',
    '/data/card/limits/\\d+/limit_amount',
    { id: cards[2] },
  ],
  ['getCard: another id than requested', '/data/card/id', { id: cards[3] }],
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

function findFault(name: string): Fault {
  const fault = allFaults.find(
    (candidate) => candidate.name === name || candidate.name.startsWith(`${name}, in `),
  );
  if (!fault) throw new Error(`no fault of the proof is called "${name}"`);
  return fault;
}

test('each of many faults of a provider is one violation with its place and command', async () => {
  const alters = breaches.map(([name, , sentParameters]) => {
    const { alter } = findFault(name);
    return sentParameters ? limitToRequests(sentParameters, alter) : alter;
  });
  const run = await runInProcessAgainst(
    { alter: inTurn(...alters) },
    { CUSTOMER_IDS: customers.slice(0, 3).join() },
  );
  expect(addressesOf(run, 'violation').sort()).toEqual(
    breaches.map(([name]) => findFault(name).breaks).sort(),
  );
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  for (const [name, pointer] of breaches)
    expectReported(run, findFault(name).breaks, new RegExp(`^${pointer}$`));
  expect(run.output).not.toMatch(/^ {4}at /m);
  expectRequestedOnce(run.requests);
});

const limitToRequests =
  (sentParameters: SentParameters, alter: Alter): Alter =>
  (response, request: MockRequest) =>
    Object.entries(sentParameters).every(([name, value]) => request.parameters[name] === value)
      ? alter(response, request)
      : response;

/** Expects that all findings have a matching pointer, and that the terminal shows the failure and the command to repeat the request. */
function expectReported({ conformance, output }: WholeRun, breaks: string, pointer: RegExp): void {
  const findings = (conformance?.findings ?? []).filter(({ requirement }) => requirement === breaks);
  expect(findings.map((finding) => finding.pointer).filter((place) => !pointer.test(place))).toEqual([]);
  const { statement } = conformance?.requirements.find(({ address }) => address === breaks) ?? {};
  for (const text of [statement, findings[0]?.expected, findings[0]?.actual, findings[0]?.repeat])
    expect(output).toContain(text ?? 'a finding');
  expect(findings[0]?.repeat).toMatch(/^curl /);
}
