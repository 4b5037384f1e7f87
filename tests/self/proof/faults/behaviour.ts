import { isDeepStrictEqual } from 'node:util';
import { customers } from '../../../../mock/customers.ts';
import { knownIdentifiers } from '../../../../mock/operations.ts';
import type { PaymentToken } from '../../../../mock/records.ts';
import type { MockResponse } from '../../../../mock/responses.ts';
import {
  allOf,
  answering,
  type Change,
  type Condition,
  editJson,
  hasParameter,
  lacksParameters,
  operations,
  readData,
  set,
  setStatus,
  startsFrom,
  withoutUser,
} from '../../harness/edits.ts';
import { answerWithCustomers } from '../../harness/provider.ts';
import { rejectWith } from '../derived.ts';
import { fullRecords } from '../full-records.ts';
import { renameUser } from '../variants/variant.ts';
import {
  type CustomerFilter,
  createFault,
  editCustomers,
  type Fault,
  hasToken,
  readCustomers,
} from './fault.ts';

const otherId = '00000000-0000-4000-8000-000000000000';
/** Replaces the body by an error with `code` 40401. Keeps the HTTP status. */
export const rejectedAsSuccess: Change = (response) => ({
  ...response,
  body: { code: 40_401, message: null, data: null, error: { reason: 'not found' } },
});

type Row = [breaks: string, name: string, change: Change, when?: Condition | undefined];
const createFaults = (rows: Row[]): Fault[] =>
  rows.map(([breaks, name, change, when]) => createFault(name, breaks, change, when));

const linkedToUser = 'linked_source_type=User';
const linkedToStore = 'linked_source_type=Store';

const hasOnlyParameters =
  (...expectedParameters: string[]): Condition =>
  ({ parameters }) => {
    // Only `linked_source_type` counts with its value, because requests differ in the values of the others.
    const sentParameters = Object.entries(parameters).map(([name, value]) =>
      name === 'linked_source_type' ? `${name}=${value}` : name,
    );
    return isDeepStrictEqual(sentParameters.sort(), expectedParameters.toSorted());
  };

const hasSource = (type: string) => hasParameter('linked_source_type', type);
const hasAllParameters = allOf(
  hasParameter('limit'),
  hasParameter('offset'),
  hasParameter('linked_source_type'),
);
/** Selects requests without the first identifier of a variable such as `CARD_IDS`. */
const lacksFirstIdentifier: Condition = ({ parameters }) => {
  // If all requests were rejected, the suite would report wrong settings instead.
  const firstIdentifiers = Object.values(fullRecords).map(([first = '']) => first);
  return !Object.values(parameters).some((value) => firstIdentifiers.includes(value));
};
// Selects some of the cards: those whose UUID begins with 8, 9 or a letter.
const hasHighId: Condition = ({ parameters: { id = '' } }) => id > '8';

const cardRule = 'getCard/rules/id-is-requested';
const customerRule = 'getCustomer/rules/id-is-requested';
const typeParameter = 'getFeeRules/parameters/type';
const listStatusAddress = 'listCustomers/http/status';

// Only the code is wrong, because the contract leaves the form of an error response open.
const rejectedAsSuccessRows = operations
  // A rejected lookup of a listed customer violates `listed-is-found` instead.
  .filter((operation) => operation !== 'getCustomer')
  .map((operation): Row => {
    return [`${operation}/code`, 'rejects in HTTP 200', rejectedAsSuccess, lacksFirstIdentifier];
  });

export const behaviourFaults: Fault[] = createFaults([
  [cardRule, 'another card, only the second time', set('data/card/id', otherId), hasHighId],
  [customerRule, 'another customer, with an empty uuid', set('data/customer/uuid', '')],
  [
    listStatusAddress,
    'rejects every parameter together',
    rejectWith(400),
    hasOnlyParameters('limit', 'offset', linkedToUser),
  ],
  [
    listStatusAddress,
    'rejects limit of stores',
    rejectWith(400),
    allOf(hasParameter('limit'), hasSource('Store')),
  ],
  [
    listStatusAddress,
    'rejects limit without offset',
    rejectWith(400),
    allOf(hasParameter('limit'), lacksParameters('offset')),
  ],
  [
    listStatusAddress,
    'rejects limit with offset',
    rejectWith(400),
    allOf(hasParameter('limit'), hasParameter('offset')),
  ],
  [
    listStatusAddress,
    'rejects paging without a source',
    rejectWith(400),
    ({ parameters }) =>
      !('linked_source_type' in parameters) && ('limit' in parameters || 'offset' in parameters),
  ],
  [listStatusAddress, 'rejects the plain list', rejectWith(400), hasOnlyParameters()],
  [typeParameter, 'rejects business', rejectWith(400), hasParameter('type', 'business')],
  [typeParameter, 'forbids business only', rejectWith(403), hasParameter('type', 'business')],
  ...rejectedAsSuccessRows,
]);

const userOfRule = 'getFeeRules/data/fee_rules/*/user_id';

const sendNumericUser: Change = (response) => {
  const [firstRule] = readData<{ fee_rules: Record<string, unknown>[] }>(response).fee_rules;
  if (!firstRule) return undefined;
  firstRule.p_user_id = 5;
  delete firstRule.user_id;
  return response;
};

const undeclaredFieldFaults = operations.map((operation): Fault => {
  const address = `${operation}/rules/declared-fields`;
  const addField = set('data/surprise', 1);
  return { ...createFault('a field that is not declared', address, addField), needsFailOnUndeclared: true };
});

export const fieldNameFaults: Fault[] = [
  {
    name: 'getFeeRules: the user under the name p_user_id',
    breaks: userOfRule,
    alter: renameUser,
    // The contract reports that some responses use `p_user_id` (2.7).
    observed: 'deviation',
  },
  createFault('p_user_id as a number', userOfRule, sendNumericUser),
  ...undeclaredFieldFaults,
];

const code = 200;
const successResponses: Record<string, Partial<MockResponse>> = {
  'no rules': { body: { code, data: { fee_rules: [] } } },
  'a rule': { body: { code, data: { fee_rules: [{}] } } },
  'rules that are null': { body: { code, data: { fee_rules: null } } },
  'a success without rules': { body: { code, data: {} } },
  'a rule and a code of text': { body: { code: '200', data: { fee_rules: [{}] } } },
  'HTTP 201 and no code': { status: 201, body: { data: { fee_rules: [{}] } } },
};

/** Faults that accept `type=user` without `user_id`, which contract 4.4 forbids. */
export const missingUserIdFaults: Fault[] = Object.entries(successResponses).map(([name, response]) => ({
  name: `getFeeRules: ${name} for a user who is not named`,
  breaks: 'getFeeRules/rules/user-id-required',
  alter: answering('getFeeRules', withoutUser, response),
}));

const listedCustomerAddress = 'listCustomers/data/customers/*';
const listedTokenAddress = `${listedCustomerAddress}/default_payment_token`;
const tokenPath = 'getCustomer/data/customer/default_payment_token';

const editTokens = (which: CustomerFilter, values: Partial<Record<keyof PaymentToken, unknown>>): Change =>
  // Changes nothing in a customer without a token.
  editCustomers(which, ({ default_payment_token: token = {} }) => {
    Object.assign(token, values);
  });

const hasFailed: CustomerFilter = ({ default_payment_token: token }) => Boolean(token?.error_code);
const types = ['CreditCard', 'WechatPayAutoDebit', 'AlipayAutoDebit'] as const;
const tokenRows: Row[] = types.flatMap((type): Row[] => [
  [
    `${listedTokenAddress}/state`,
    `state missing, only of ${type}`,
    editTokens(hasToken(type), { state: undefined }),
  ],
  [`${tokenPath}/token`, `token null, only of ${type}`, editTokens(hasToken(type), { token: null })],
]);

/** Wrong `value` in one field of the customer at `index` of each page. */
type ListedRow = [name: string, index: number, field: string, value: unknown, when?: Condition];
const sourceRows = ['User', 'Store'].flatMap((source): ListedRow[] => {
  // Excludes the request with `offset=1`: its page still shows customers of the first page.
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
  ['only with limit and Store', 3, 'email', {}, hasOnlyParameters('limit', linkedToStore)],
  ['only with offset and User', 3, 'email', [], hasOnlyParameters('offset', linkedToUser)],
  ['only with all three', 0, 'name', 1, hasAllParameters],
  ['only on the third page', 5, 'reference_number', null, startsFrom(21)],
];

const failPage: Change = (response) => ({ ...response, status: 500, raw: '' });

const isThirdPage = hasParameter('offset', '40');
const cutShort = editJson((json) => json.slice(0, -20));
const thirdPageRows: Row[] = [
  [listStatusAddress, 'the third page as HTTP 206', setStatus(206), isThirdPage],
  [listStatusAddress, 'the third page as HTTP 500', failPage, isThirdPage],
  ['listCustomers/http/json', 'the third page cut short', cutShort, isThirdPage],
  ['listCustomers/code', 'the third page with the code in quotes', set('code', '200'), isThirdPage],
];

const failPageWithCustomer =
  (uuid: string | undefined): Change =>
  (response, request) => {
    const hasCustomer = readCustomers(response).some((customer) => customer.uuid === uuid);
    return hasCustomer ? failPage(response, request) : response;
  };

const failingPageRows = [21, 45].map((index): Row => {
  const change = failPageWithCustomer(customers[index]?.customer.uuid);
  return [listStatusAddress, `each page with customer ${index} as HTTP 500`, change];
});

const failLastPage: Change = (response, request) => {
  // Of 21 customers, only the last one is on the page with `offset=20`.
  if (request.parameters.offset === '20') return failPage(response, request);
  return answerWithCustomers(customers.slice(0, 21), request);
};

const failOrReject: Change = (response, request) =>
  request.parameters.offset === '1' ? { ...response, status: 400, raw: '' } : failPage(response, request);

const failAfter20: Change = (response, request) => {
  const isAfter20 = Number(request.parameters.offset ?? 0) > 20;
  return isAfter20
    ? failPage(response, request)
    : set('data/customers', readCustomers(response).slice(0, 20))(response, request);
};

const isAtOffset1 = hasParameter('offset', '1');
const isAtOffset1Alone = allOf(isAtOffset1, lacksParameters('limit'));
const isAtOffset1OfAll = allOf(isAtOffset1, lacksParameters('linked_source_type'));
const isAtOffset1OfUsers = allOf(isAtOffset1, hasSource('User'));
const failSecondOfThree: Change = (response, request) =>
  isAtOffset1Alone(request)
    ? failPage(response, request)
    : answerWithCustomers(customers.slice(0, 3), request);
// MySQL has no OFFSET without LIMIT. The test `if (offset)` of a provider is false for 0.
const offset1Rows: Row[] = [
  [listStatusAddress, 'offset 1 without limit as HTTP 500', failPage, isAtOffset1Alone],
  [listStatusAddress, 'offset 1 without limit as HTTP 400', rejectWith(400), isAtOffset1Alone],
  [listStatusAddress, 'three customers, and offset 1 without limit as HTTP 500', failSecondOfThree],
  [listStatusAddress, 'offset 1 without a source as HTTP 400', rejectWith(400), isAtOffset1OfAll],
  [listStatusAddress, 'offset 1 linked to a user as HTTP 500', failPage, isAtOffset1OfUsers],
];

const redirect: Change = (response) => ({ ...response, status: 302, headers: { location: '/' }, raw: '' });
const failInBody: Change = (response) => ({ ...response, body: { code: 500, message: 'no', data: null } });

/** Counts pages by `offset`, and replaces the second page by `change`. */
const changeSecondPage =
  (change: Change): Change =>
  (response, request) => {
    const { limit = '20', offset = '0' } = request.parameters;
    if (offset === '1') return change(response, request);
    const parameters = { ...request.parameters, offset: `${Number(offset) * Number(limit)}` };
    return answerWithCustomers(customers, { ...request, parameters });
  };
const secondPageRows: Row[] = [
  [listStatusAddress, 'the second of counted pages as HTTP 500', changeSecondPage(failPage)],
  [listStatusAddress, 'the second of counted pages as HTTP 302', changeSecondPage(redirect)],
  ['listCustomers/code', 'the second of counted pages with code 500', changeSecondPage(failInBody)],
];

const customersOfStore = customers.filter(({ linkedTo }) => linkedTo.includes('Store')).slice(0, 2);
/** Links only two customers to a store, so that the second page begins at `offset=2`. */
const failAfterFirstOfStore: Change = (response, request) => {
  if (!hasSource('Store')(request)) return response;
  const isLaterPage = 'limit' in request.parameters && Number(request.parameters.offset ?? 0) > 0;
  return isLaterPage ? failPage(response, request) : answerWithCustomers(customersOfStore, request);
};

const isPageOfStore = allOf(hasParameter('limit', '20'), hasSource('Store'));

const createListedFault = ([name, index, field, value, when]: ListedRow): Fault => {
  // The index -1 is the last customer of the page.
  const setField = set(`data/customers/${index}/${field}`, value);
  return createFault(name, `${listedCustomerAddress}/${field}`, setField, when);
};

const listFaults: Fault[] = [
  ...listedRows.map(createListedFault),
  ...createFaults(thirdPageRows),
  ...createFaults(failingPageRows),
  ...createFaults(offset1Rows),
  ...createFaults(secondPageRows),
  createFault('pages of 20 linked to a store as HTTP 500', listStatusAddress, failPage, isPageOfStore),
  createFault('the last page as HTTP 500', listStatusAddress, failLastPage),
  createFault('each page but the first as HTTP 500', listStatusAddress, failPage, startsFrom(1)),
  createFault(
    'at most 20 customers in a page, and any offset above 20 as HTTP 500',
    listStatusAddress,
    failAfter20,
  ),
  createFault('pages of 100 as HTTP 500', listStatusAddress, failPage, hasParameter('limit', '100')),
  createFault('offset 0 as HTTP 500', listStatusAddress, failPage, hasParameter('offset', '0')),
  createFault('offset 0 as HTTP 302', listStatusAddress, redirect, hasParameter('offset', '0')),
  createFault('pages of 100 as HTTP 204', listStatusAddress, rejectWith(204), hasParameter('limit', '100')),
  createFault(
    'two customers of a store, and later pages with limit as HTTP 500',
    listStatusAddress,
    failAfterFirstOfStore,
  ),
  createFault(
    'offset 1 as HTTP 400 and later pages as HTTP 500',
    listStatusAddress,
    failOrReject,
    startsFrom(1),
  ),
];

const giveNumericErrorCode = editTokens(hasFailed, { error_code: 51 });
const isSecondCard = hasParameter('id', knownIdentifiers.CARD_IDS?.[1]);
const setWrongExpiry = set('data/card/expiration_date', '00/27');
const rulePath = 'getFeeRules/data/fee_rules/*';
const setFee = (name: string, value: unknown) => set(`data/fee_rules/0/${name}`, value);

const lookupRows: Row[] = [
  [`${tokenPath}/error_code`, 'error code a number, only of a failed binding', giveNumericErrorCode],
  ['getCard/data/card/expiration_date', 'only the second card', setWrongExpiry, isSecondCard],
  [`${rulePath}/fixed_fee`, 'only for a user', setFee('fixed_fee', '1,5'), hasParameter('type', 'user')],
  [
    `${rulePath}/percentage_fee`,
    'only for a business',
    setFee('percentage_fee', null),
    hasParameter('type', 'business'),
  ],
];

export const conditionalFaults: Fault[] = [
  ...listFaults,
  ...createFaults(tokenRows),
  ...createFaults(lookupRows),
];
