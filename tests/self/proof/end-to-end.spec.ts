import { expect, test } from '@playwright/test';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { applyInOrder } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, expectRequestedOnce, type WholeRun } from '../harness/whole-run.ts';
import type { Fault } from './faults/fault.ts';
import { allFaults } from './faults/index.ts';
import { fullRecords } from './full-records.ts';

test.setTimeout(120_000);

const readIdentifiers = (variable: string) => fullRecords[variable] ?? [];
const cards = readIdentifiers('CARD_IDS');
const customers = readIdentifiers('CUSTOMER_IDS');
const users = readIdentifiers('USER_IDS');

type SentParameters = Record<string, string | undefined>;

/** Name of a fault, pattern for its findings' pointers, and affected requests (default: all). */
const faultRows: [name: string, pointerPattern: string, sentParameters?: SentParameters][] = [
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
  // A fault in a list also names the list elements that get it: `…, in the middle one`.
  const fault = allFaults.find(
    (candidate) => candidate.name === name || candidate.name.startsWith(`${name}, in `),
  );
  if (!fault) throw new Error(`no fault of the proof is called "${name}"`);
  return fault;
}

test('each of many faults of a provider is one violation with its place and command', async () => {
  const alters = faultRows.map(([name, , sentParameters]) => {
    const { alter } = findFault(name);
    return sentParameters ? limitToRequests(sentParameters, alter) : alter;
  });
  const run = await runInProcessAgainst(
    { alter: applyInOrder(...alters) },
    { CUSTOMER_IDS: customers.slice(0, 3).join() },
  );
  expect(addressesOf(run, 'violation').sort()).toEqual(
    faultRows.map(([name]) => findFault(name).breaks).sort(),
  );
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  for (const [name, pointer] of faultRows)
    expectReported(run, findFault(name).breaks, new RegExp(`^${pointer}$`));
  expect(run.output).not.toMatch(/^ {4}at /m);
  expectRequestedOnce(run.requests);
});

const limitToRequests =
  (sentParameters: SentParameters, alter: Alter): Alter =>
  (response, request: MockRequest) => {
    const isSelected = Object.entries(sentParameters).every(
      ([name, value]) => request.parameters[name] === value,
    );
    return isSelected ? alter(response, request) : response;
  };

function expectReported({ conformance, output }: WholeRun, address: string, pointer: RegExp): void {
  const requirement = conformance?.requirements.find((candidate) => candidate.address === address);
  const findings = conformance?.findings.filter((finding) => finding.requirement === address) ?? [];
  const [firstFinding] = findings;
  if (!requirement || !firstFinding) throw new Error(`there is no finding of ${address}`);
  for (const finding of findings) expect(finding.pointer).toMatch(pointer);
  const { expected, actual, repeat = '' } = firstFinding;
  expect(repeat).toMatch(/^curl /);
  for (const text of [requirement.statement, expected, actual, repeat]) expect(output).toContain(text);
}
