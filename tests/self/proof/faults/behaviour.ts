import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { MockResponse } from '../../../../mock/responses.ts';
import { customers, identifiers } from '../../../../mock/seed.ts';
import {
  allOf,
  answering,
  type Change,
  type Condition,
  editJson,
  hasParameter,
  operations,
  set,
  setStatus,
  startsFrom,
  withoutUser,
} from '../../harness/edits.ts';
import { answerWithCustomers } from '../../harness/provider.ts';
import { rejectWith } from '../derived.ts';
import { fullRecords } from '../full-records.ts';
import { renameUser } from '../variants/variant.ts';
import { type CustomerFilter, editCustomers, type Fault, fault, hasToken, readCustomers } from './fault.ts';

const otherId = '00000000-0000-4000-8000-000000000000';
/** Replaces an answer by an error response with HTTP 200, whose `code` is 40401. */
export const rejectedAsSuccess: Change = (response) => ({
  ...response,
  body: { code: 40_401, message: null, data: null, error: { reason: 'not found' } },
});

type Row = [breaks: string, name: string, change: Change, when?: Condition | undefined];
const createFaults = (rows: Row[]): Fault[] =>
  rows.map(([breaks, name, change, when]) => fault(name, breaks, change, when));

/** Selects requests with exactly these parameters, such as `limit`. `User` and `Store` mean `linked_source_type` with that value. */
const hasOnlyParameters =
  (...expectedParameters: string[]): Condition =>
  ({ parameters: { linked_source_type: source, ...otherParameters } }) => {
    const names = Object.keys(otherParameters);
    const namesAndSource = source ? [...names, source] : names;
    return namesAndSource.sort().join() === expectedParameters.toSorted().join();
  };

const hasSource = (type: string) => hasParameter('linked_source_type', type);
const hasAllParameters = allOf(
  hasParameter('limit'),
  hasParameter('offset'),
  hasParameter('linked_source_type'),
);
/** Selects requests without a first identifier. If a target rejects `CARD_IDS[0]`, too, the suite reports wrong settings instead. */
const isOtherThanFirst: Condition = ({ parameters }) =>
  Object.values(fullRecords).every(([first = '']) => !Object.values(parameters).includes(first));
const isLaterCard: Condition = ({ parameters: { id = '' } }) => id > '8';

const cardRule = 'getCard/rules/id-is-requested';
const customerRule = 'getCustomer/rules/id-is-requested';
const typeParameter = 'getFeeRules/parameters/type';
const listStatus = 'listCustomers/http/status';

export const behaviourFaults: Fault[] = createFaults([
  [cardRule, 'another card, only the second time', set('data/card/id', otherId), isLaterCard],
  [customerRule, 'another customer, with an empty uuid', set('data/customer/uuid', '')],
  [
    listStatus,
    'rejects every parameter together',
    rejectWith(400),
    hasOnlyParameters('limit', 'offset', 'User'),
  ],
  [listStatus, 'rejects the plain list', rejectWith(400), hasOnlyParameters()],
  [typeParameter, 'rejects business', rejectWith(400), hasParameter('type', 'business')],
  [typeParameter, 'forbids business only', rejectWith(403), hasParameter('type', 'business')],
  // Only the code is wrong, because the contract leaves the form of an error response open.
  ...operations
    .filter((operation) => operation !== 'getCustomer')
    .map(
      (operation): Row => [`${operation}/code`, 'rejects in HTTP 200', rejectedAsSuccess, isOtherThanFirst],
    ),
]);

const userOfRule = 'getFeeRules/data/fee_rules/*/user_id';

/** Faults in names of fields: undeclared names, and `p_user_id` for `user_id`, a name that the contract reports (2.7). */
export const fieldNameFaults: Fault[] = [
  {
    name: 'getFeeRules: the user under the name p_user_id',
    breaks: userOfRule,
    alter: renameUser,
    observed: 'deviation',
  },
  fault('p_user_id as a number', userOfRule, (response, request) => {
    const renamed = set('data/fee_rules/0/p_user_id', 5)(response, request);
    return renamed && set('data/fee_rules/0/user_id', undefined)(renamed, request);
  }),
  ...operations.map((operation): Fault => {
    const breaks = `${operation}/rules/declared-fields`;
    return { ...fault('a field that is not declared', breaks, set('data/surprise', 1)), undeclared: true };
  }),
];

const code = 200;
const grantedAnswers: Record<string, Partial<MockResponse>> = {
  'no rules': { body: { code, data: { fee_rules: [] } } },
  'a rule': { body: { code, data: { fee_rules: [{}] } } },
  'rules that are null': { body: { code, data: { fee_rules: null } } },
  'a success without rules': { body: { code, data: {} } },
  'a rule and a code of text': { body: { code: '200', data: { fee_rules: [{}] } } },
  'HTTP 201 and no code': { status: 201, body: { data: { fee_rules: [{}] } } },
};

/** Faults that answer a request with `type=user` and no `user_id` with a success, although it must be rejected (contract 4.4). */
export const grantedFaults: Fault[] = Object.entries(grantedAnswers).map(([name, response]) => ({
  name: `getFeeRules: ${name} for a user who is not named`,
  breaks: 'getFeeRules/rules/user-id-required',
  alter: answering('getFeeRules', withoutUser, response),
}));

const listedCustomer = 'listCustomers/data/customers/*';
const listedTokenPath = `${listedCustomer}/default_payment_token`;
const tokenPath = 'getCustomer/data/customer/default_payment_token';

const editTokens = (which: CustomerFilter, values: Partial<Record<keyof PaymentToken, unknown>>): Change =>
  editCustomers(which, ({ default_payment_token: token = {} }) => void Object.assign(token, values));

const hasFailed: CustomerFilter = ({ default_payment_token: token }) => Boolean(token?.error_code);
const types = ['CreditCard', 'WechatPayAutoDebit', 'AlipayAutoDebit'] as const;
const tokenRows: Row[] = types.flatMap((type): Row[] => [
  [
    `${listedTokenPath}/state`,
    `state missing, only of ${type}`,
    editTokens(hasToken(type), { state: undefined }),
  ],
  [`${tokenPath}/token`, `token null, only of ${type}`, editTokens(hasToken(type), { token: null })],
]);

type ListedRow = [name: string, index: number, field: string, value: unknown, when?: Condition];
const sourceRows = ['User', 'Store'].flatMap((source): ListedRow[] => {
  const isBeyondFirstPage = allOf(hasSource(source), startsFrom(2));
  return [
    [`dial code without plus, only for ${source}`, -1, 'dial_code', '44', hasSource(source)],
    [`uuid a number, only for ${source} beyond the first page`, 17, 'uuid', 17, isBeyondFirstPage],
  ];
});

const listedRows: ListedRow[] = [
  ...sourceRows,
  ['only without parameters', 3, 'phone', null, hasOnlyParameters()],
  ['only with limit alone', 3, 'phone', 12, hasOnlyParameters('limit')],
  ['only with offset alone', 3, 'phone', 12, hasOnlyParameters('offset')],
  ['only with limit and Store', 3, 'email', {}, hasOnlyParameters('limit', 'Store')],
  ['only with offset and User', 3, 'email', [], hasOnlyParameters('offset', 'User')],
  ['only with all three', 0, 'name', 1, hasAllParameters],
  ['only on the third page', 5, 'reference_number', null, startsFrom(21)],
];

const failPage: Change = (response) => ({ ...response, status: 500, raw: '' });

const thirdPageRows: Row[] = [
  [listStatus, 'the third page as HTTP 206', setStatus(206)],
  [listStatus, 'the third page as HTTP 500', failPage],
  ['listCustomers/http/json', 'the third page cut short', editJson((json) => json.slice(0, -20))],
  ['listCustomers/code', 'the third page with the code in quotes', set('code', '200')],
];

/** Faults of a provider that cannot serialize a customer, and so answers each page with this customer with HTTP 500. */
const failingPageRows = [21, 45].map((index): Row => {
  const { uuid } = (customers[index] as { customer: Customer }).customer;
  const failPageWithCustomer: Change = (response, request) =>
    readCustomers(response).some((customer) => customer.uuid === uuid)
      ? failPage(response, request)
      : response;
  return [listStatus, `each page with customer ${index} as HTTP 500`, failPageWithCustomer];
});

const failLastPage: Change = (response, request) => {
  if (request.parameters.offset === '20') return failPage(response, request);
  return answerWithCustomers(customers.slice(0, 21), request);
};

const isPageOfStore = allOf(hasParameter('limit', '20'), hasSource('Store'));

const giveNumericErrorCode = editTokens(hasFailed, { error_code: 51 });
const isSecondCard = hasParameter('id', identifiers.CARD_IDS[1]);
const setWrongExpiry = set('data/card/expiration_date', '00/27');
const rulePath = 'getFeeRules/data/fee_rules/*';
const setFee = (name: string, value: unknown) => set(`data/fee_rules/0/${name}`, value);

export const conditionalFaults: Fault[] = createFaults([
  ...listedRows.map(([name, index, field, value, when]): Row => {
    return [`${listedCustomer}/${field}`, name, set(`data/customers/${index}/${field}`, value), when];
  }),
  ...thirdPageRows.map(([breaks, name, change]): Row => [breaks, name, change, hasParameter('offset', '40')]),
  ...failingPageRows,
  [listStatus, 'pages of 20 linked to a store as HTTP 500', failPage, isPageOfStore],
  [listStatus, 'the last page as HTTP 500', failLastPage],
  ...tokenRows,
  [`${tokenPath}/error_code`, 'error code a number, only of a failed binding', giveNumericErrorCode],
  ['getCard/data/card/expiration_date', 'only the second card', setWrongExpiry, isSecondCard],
  [`${rulePath}/fixed_fee`, 'only for a user', setFee('fixed_fee', '1,5'), hasParameter('type', 'user')],
  [
    `${rulePath}/percentage_fee`,
    'only for a business',
    setFee('percentage_fee', null),
    hasParameter('type', 'business'),
  ],
]);
