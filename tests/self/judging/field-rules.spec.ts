import { expect, test } from '@playwright/test';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { type LedgerEntry, readLedger } from '../../../schemas/contract/ledger.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import type { BrokenRequirement, Violation } from '../../../schemas/judge/judged.ts';
import { rejectEveryWord } from '../../../src/redact/disclosure.ts';
import { proposeAccepts } from '../../../src/redact/received.ts';
import { json } from '../harness/examples.ts';

const contract = loadContract();

const copyOperation = (id: string): Operation =>
  structuredClone(contract.operations.find((operation) => operation.id === id) as Operation);

const presenceAddress = 'getCustomer/data/customer/default_payment_token/credit_card/present-with-card-token';

function judgeToken(
  token: object,
  { operation = copyOperation('getCustomer'), entries = [] as LedgerEntry[] } = {},
): BrokenRequirement | undefined {
  const body = { code: 200, message: '', data: { customer: { default_payment_token: token } } };
  const { broken } = judge({ operation, parameters: {}, response: json(200, body) }, entries);
  return broken.find(({ requirement }) => requirement === presenceAddress);
}

test('the proposed ledger entry for a missing `credit_card` tolerates it', () => {
  const token = { token_type: 'CreditCard' };
  const [violation] = (judgeToken(token)?.listedViolations ?? []) as [Violation];
  const accepts = proposeAccepts(copyOperation('getCustomer'), violation, rejectEveryWord);
  expect(accepts).toEqual({ schema: { type: 'object' } });
  const entry = { requirement: presenceAddress, accepts, because: 'known', source: '2.5' };
  const entries = readLedger(JSON.stringify([entry]), contract);
  expect(judgeToken(token, { entries })?.entry).toEqual(entries[0]);
});

test('a rule that names two fields applies where both have their values', () => {
  const operation = copyOperation('getCustomer');
  for (const { check } of operation.rules)
    if ('presentWith' in check) check.presentWith = { token_type: 'CreditCard', status: 'Active' };
  expect(judgeToken({ token_type: 'CreditCard' }, { operation })).toBeUndefined();
  expect(judgeToken({ status: 'Active' }, { operation })).toBeUndefined();
  const expected = 'present where token_type is CreditCard and status is Active';
  const broken = judgeToken({ token_type: 'CreditCard', status: 'Active' }, { operation });
  expect(broken?.listedViolations).toMatchObject([{ expected }]);
});

test('a fee rule that names another user twice counts as one element', () => {
  const response = json(200, {
    code: 200,
    message: '',
    data: { fee_rules: Array(2).fill({ user_id: 'other', p_user_id: 'another' }) },
  });
  const parameters = { type: 'user', user_id: 'U1' };
  const { broken } = judge({ operation: copyOperation('getFeeRules'), parameters, response });
  const brokenEcho = broken.find(({ requirement }) => requirement === 'getFeeRules/rules/user-is-requested');
  expect(brokenEcho).toMatchObject({ violationCount: 4, elementCount: 2 });
});
