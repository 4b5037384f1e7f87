import type { MockAnswer } from '../../../../mock/answers.ts';
import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import { customers, identifiers } from '../../../../mock/seed.ts';
import {
  allOf,
  answering,
  type Change,
  type Condition,
  has,
  offsetFrom,
  operations,
  set,
  status,
  text,
  withoutUser,
} from '../../harness/edits.ts';
import { rejecting } from '../derived.ts';
import { userRenamed } from '../variants/variant.ts';
import { customersIn, editing, type Fault, fault, type Which, withToken } from './fault.ts';

const other = '00000000-0000-4000-8000-000000000000';
export const rejectedAsSuccess: Change = (answer) => ({
  ...answer,
  body: { code: 40_401, message: null, data: null, error: { reason: 'not found' } },
});

type Row = [breaks: string, name: string, change: Change, when?: Condition | undefined];
const written = (rows: Row[]): Fault[] =>
  rows.map(([breaks, name, change, when]) => fault(name, breaks, change, when));

/** Where a request for the list has just these of `limit`, `offset` and a source. */
const sending =
  (...sent: string[]): Condition =>
  ({ parameters: { linked_source_type: source = '', ...others } }) =>
    [...['limit', 'offset'].filter((name) => name in others), source].filter(Boolean).join() === sent.join();

const ofType = (type: string) => has('linked_source_type', type);
const allThree = allOf(has('limit'), has('offset'), has('linked_source_type'));
const laterCard: Condition = ({ parameters: { id = '' } }) => id > '8';

const card = 'getCard/rules/id-is-requested';
const customer = 'getCustomer/rules/id-is-requested';
const type = 'getFeeRules/parameters/type';
const listStatus = 'listCustomers/http/status';

/** Wrong records, rejected requests, and a success where an error response is due. */
export const behaviour: Fault[] = written([
  [card, 'another card', set('data/card/id', other)],
  [card, 'another card, only the second time', set('data/card/id', other), laterCard],
  [customer, 'another customer', set('data/customer/uuid', other)],
  [customer, 'another customer, with an empty uuid', set('data/customer/uuid', '')],
  [listStatus, 'rejects every parameter together', rejecting(400), sending('limit', 'offset', 'User')],
  [listStatus, 'rejects the plain list', rejecting(400), sending()],
  [type, 'rejects business', rejecting(400), has('type', 'business')],
  [type, 'forbids business only', rejecting(403), has('type', 'business')],
  // In an error response nothing but the code is wrong: the form of the rest is open.
  ...operations
    .filter((operation) => operation !== 'getCustomer')
    .map((operation): Row => [`${operation}/code`, 'rejects in HTTP 200', rejectedAsSuccess]),
]);

const userOfRule = 'getFeeRules/data/fee_rules/*/user_id';

/** What the contract itself says has been seen, and names that it does not know. */
export const observed: Fault[] = [
  {
    name: 'getFeeRules: the user under the name p_user_id',
    breaks: userOfRule,
    alter: userRenamed,
    observed: 'deviation',
  },
  fault('p_user_id as a number', userOfRule, (answer, request) => {
    const named = set('data/fee_rules/0/p_user_id', 5)(answer, request);
    return named && set('data/fee_rules/0/user_id', undefined)(named, request);
  }),
  ...operations.map((operation): Fault => {
    const breaks = `${operation}/rules/declared-fields`;
    return { ...fault('a field that is not declared', breaks, set('data/surprise', 1)), undeclared: true };
  }),
];

const code = 200;
const grants: Record<string, Partial<MockAnswer>> = {
  'no rules': { body: { code, data: { fee_rules: [] } } },
  'a rule': { body: { code, data: { fee_rules: [{}] } } },
  'rules that are null': { body: { code, data: { fee_rules: null } } },
  'a success without rules': { body: { code, data: {} } },
  'HTTP 201 and no code': { status: 201, body: { data: { fee_rules: [] } } },
};

/** A success where `user_id` is missing. */
export const granted: Fault[] = Object.entries(grants).map(([name, answer]) => ({
  name: `getFeeRules: ${name} for a user who is not named`,
  breaks: 'getFeeRules/rules/user-id-required',
  alter: answering('getFeeRules', withoutUser, answer),
}));

const listed = 'listCustomers/data/customers/*';
const listedToken = `${listed}/default_payment_token`;
const token = 'getCustomer/data/customer/default_payment_token';

const inTokens = (which: Which, values: Partial<Record<keyof PaymentToken, unknown>>): Change =>
  editing(which, ({ default_payment_token: token = {} }) => void Object.assign(token, values));

const hasFailed: Which = ({ default_payment_token: token }) => Boolean(token?.error_code);
const types = ['CreditCard', 'WechatPayAutoDebit', 'AlipayAutoDebit'] as const;
const ofTokens: Row[] = types.flatMap((type): Row[] => [
  [`${listedToken}/state`, `state missing, only of ${type}`, inTokens(withToken(type), { state: undefined })],
  [`${token}/token`, `token null, only of ${type}`, inTokens(withToken(type), { token: null })],
]);

type ListedRow = [name: string, index: number, field: string, value: unknown, when?: Condition];
const ofSources = ['User', 'Store'].flatMap((source): ListedRow[] => {
  const beyond = allOf(ofType(source), offsetFrom(2));
  return [
    [`dial code without plus, only for ${source}`, -1, 'dial_code', '44', ofType(source)],
    [`uuid a number, only for ${source} beyond the first page`, 17, 'uuid', 17, beyond],
  ];
});

/** A field of one listed customer, in some requests. */
const ofListed: ListedRow[] = [
  ...ofSources,
  ['only without parameters', 3, 'phone', null, sending()],
  ['only with limit alone', 3, 'phone', 12, sending('limit')],
  ['only with offset alone', 3, 'phone', 12, sending('offset')],
  ['only with limit and Store', 3, 'email', {}, sending('limit', 'Store')],
  ['only with offset and User', 3, 'email', [], sending('offset', 'User')],
  ['only with all three', 0, 'name', 1, allThree],
  ['only on the third page', 5, 'reference_number', null, offsetFrom(21)],
];

/** What a later page may look like when nothing shows at once that it exists. */
const thirdPage: Row[] = [
  [listStatus, 'the third page as HTTP 206', status(206)],
  [listStatus, 'the third page as HTTP 500', (answer) => ({ ...answer, status: 500, raw: '' })],
  ['listCustomers/http/json', 'the third page cut short', text((json) => json.slice(0, -20))],
  ['listCustomers/code', 'the third page with the code in quotes', set('code', '200')],
];

/** A record that cannot be serialised fails each page that holds it. */
const failingPages = [21, 45].map((index): Row => {
  const { uuid } = (customers[index] as { customer: Customer }).customer;
  const fails: Change = (answer) =>
    customersIn(answer).some((one) => one.uuid === uuid) ? { ...answer, status: 500, raw: '' } : answer;
  return [listStatus, `each page with customer ${index} as HTTP 500`, fails];
});

/** A list of 21, whose last page fails. */
const lastPage: Change = (answer, request) => {
  const { limit = 20, offset = 0 } = request.parameters;
  if (offset === '20') return { ...answer, status: 500, raw: '' };
  const all = customers.slice(0, 21).map(({ customer }) => customer);
  return set('data/customers', all.slice(+offset, +offset + +limit))(answer, request);
};

const failedCode = inTokens(hasFailed, { error_code: 51 });
const secondCard = has('id', identifiers.CARD_IDS[1]);
const expiry = set('data/card/expiration_date', '00/27');
const rule = 'getFeeRules/data/fee_rules/*';
const fee = (name: string, value: unknown) => set(`data/fee_rules/0/${name}`, value);

/** Breaches that show only for some requests or some records. */
export const conditional: Fault[] = written([
  ...ofListed.map(([name, index, field, value, when]): Row => {
    return [`${listed}/${field}`, name, set(`data/customers/${index}/${field}`, value), when];
  }),
  ...thirdPage.map(([breaks, name, change]): Row => [breaks, name, change, has('offset', '40')]),
  ...failingPages,
  [listStatus, 'the last page as HTTP 500', lastPage],
  ...ofTokens,
  [`${token}/error_code`, 'error code a number, only of a failed binding', failedCode],
  ['getCard/data/card/expiration_date', 'only the second card', expiry, secondCard],
  [`${rule}/fixed_fee`, 'only for a user', fee('fixed_fee', '1,5'), has('type', 'user')],
  [`${rule}/percentage_fee`, 'only for a business', fee('percentage_fee', null), has('type', 'business')],
]);
