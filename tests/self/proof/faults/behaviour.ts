import type { MockAnswer } from '../../../../mock/answers.ts';
import { identifiers } from '../../../../mock/seed.ts';
import {
  allOf,
  answering,
  type Change,
  type Condition,
  dataOf,
  has,
  lacks,
  offsetFrom,
  operations,
  set,
  status,
  text,
  withoutUser,
} from '../../harness/edits.ts';
import { rejecting } from '../derived.ts';
import { userRenamed } from '../variants/variant.ts';
import { type Fault, fault } from './fault.ts';

const other = '00000000-0000-4000-8000-000000000000';
export const rejectedAsSuccess: Change = (answer) => ({
  ...answer,
  body: { code: 40_401, message: null, data: null, error: { reason: 'not found' } },
});

type Row = [breaks: string, name: string, change: Change, when?: Condition];
const written = (rows: Row[]): Fault[] =>
  rows.map(([breaks, name, change, when]) => fault(name, breaks, change, when));

const plainList = lacks('limit', 'offset', 'linked_source_type');
const ofType = (type: string) => has('linked_source_type', type);

/** Wrong records, rejected requests, and a success where an error response is due. */
export const behaviour: Fault[] = written([
  ['getCard/rules/id-is-requested', 'another card', set('data/card/id', other)],
  [
    'getCard/rules/id-is-requested',
    'another card, only the second time',
    set('data/card/id', other),
    ({ parameters }) => parameters.id !== undefined && parameters.id > '8',
  ],
  ['getCustomer/rules/id-is-requested', 'another customer', set('data/customer/uuid', other)],
  [
    'getCustomer/rules/id-is-requested',
    'another customer, with an empty uuid',
    set('data/customer/uuid', ''),
  ],
  [
    'listCustomers/http/status',
    'rejects every parameter together',
    rejecting(400),
    allOf(has('limit'), has('offset'), ofType('User')),
  ],
  ['listCustomers/http/status', 'rejects the plain list', rejecting(400), plainList],
  ['getFeeRules/parameters/type', 'rejects business', rejecting(400), has('type', 'business')],
  ['getFeeRules/parameters/type', 'forbids business only', rejecting(403), has('type', 'business')],
  // In an error response nothing but the code is wrong: the form of the rest is open.
  ...operations
    .filter((operation) => operation !== 'getCustomer')
    .map((operation): Row => [`${operation}/code`, 'rejects in HTTP 200', rejectedAsSuccess]),
]);

/** What the contract itself says has been seen, and names that it does not know. */
export const observed: Fault[] = [
  {
    name: 'getFeeRules: the user under the name p_user_id',
    breaks: 'getFeeRules/data/fee_rules/*/user_id',
    alter: userRenamed,
    observed: 'deviation',
  },
  fault('p_user_id as a number', 'getFeeRules/data/fee_rules/*/user_id', (answer, request) => {
    const named = set('data/fee_rules/0/p_user_id', 5)(answer, request);
    return named && set('data/fee_rules/0/user_id', undefined)(named, request);
  }),
  ...operations.map(
    (operation): Fault => ({
      ...fault('a field that is not declared', `${operation}/rules/declared-fields`, set('data/surprise', 1)),
      undeclared: true,
    }),
  ),
];

const code = 200;
const grants: [name: string, answer: Partial<MockAnswer>][] = [
  ['no rules', { body: { code, data: { fee_rules: [] } } }],
  ['a rule', { body: { code, data: { fee_rules: [{}] } } }],
  ['rules that are null', { body: { code, data: { fee_rules: null } } }],
  ['a success without rules', { body: { code, data: {} } }],
  ['HTTP 201 and no code', { status: 201, body: { data: { fee_rules: [] } } }],
];

/** A success where `user_id` is missing. */
export const granted: Fault[] = grants.map(([name, answer]) => ({
  name: `getFeeRules: ${name} for a user who is not named`,
  breaks: 'getFeeRules/rules/user-id-required',
  alter: answering('getFeeRules', withoutUser, answer),
}));

const customer = 'listCustomers/data/customers/*';
const token = `${customer}/default_payment_token`;
const lookedUpToken = 'getCustomer/data/customer/default_payment_token';

interface Customer extends Record<string, unknown> {
  default_payment_token?: { token_type: string; error_code?: string } & Record<string, unknown>;
}

/** Sets a field of tokens of a type, or of those whose binding has failed. */
const inTokens =
  (
    field: string,
    value: unknown,
    isMeant: (token: { token_type: string; error_code?: string }) => unknown,
  ): Change =>
  (answer) => {
    for (const record of Object.values(dataOf<Record<string, Customer | Customer[]>>(answer)).flat())
      if (record.default_payment_token && isMeant(record.default_payment_token))
        record.default_payment_token[field] = value;
    return answer;
  };

const ofTokens: Row[] = ['CreditCard', 'WechatPayAutoDebit', 'AlipayAutoDebit'].flatMap((type): Row[] => [
  [
    `${token}/state`,
    `state missing, only of ${type}`,
    inTokens('state', undefined, (one) => one.token_type === type),
  ],
  [
    `${lookedUpToken}/token`,
    `token null, only of ${type}`,
    inTokens('token', null, (one) => one.token_type === type),
  ],
]);

/** The eighteenth is on the first page alone. */
const eighteenth: Change = (answer, request) =>
  set('data/customers/17/default_payment_token', {
    ...{ token_type: 'AlipayAutoDebit', token: 't', state: 's', default: 'true' },
  })(answer, request);

const ofSources: Row[] = ['User', 'Store'].flatMap((type): Row[] => [
  [
    `${customer}/dial_code`,
    `dial code without plus, only for ${type}`,
    set('data/customers/-1/dial_code', '44'),
    ofType(type),
  ],
  [
    `${customer}/uuid`,
    `uuid a number, only for ${type} beyond the first page`,
    set('data/customers/17/uuid', 17),
    allOf(ofType(type), offsetFrom(2)),
  ],
]);

/** What a later page may look like when nothing shows at once that it exists. */
const ofTheThirdPage: Row[] = [
  ['listCustomers/http/status', 'the third page as HTTP 206', status(206)],
  [
    'listCustomers/http/status',
    'the third page as HTTP 500',
    (answer) => ({ ...answer, status: 500, raw: '' }),
  ],
  ['listCustomers/http/json', 'the third page cut short', text((json) => json.slice(0, -20))],
  ['listCustomers/code', 'the third page with the code in quotes', set('code', '200')],
];

/** Breaches that show only for some requests or some records. */
export const conditional: Fault[] = written([
  ...ofSources,
  [`${customer}/phone`, 'only without parameters', set('data/customers/3/phone', null), plainList],
  [
    `${customer}/phone`,
    'only with limit alone',
    set('data/customers/3/phone', 12),
    allOf(has('limit'), lacks('offset', 'linked_source_type')),
  ],
  [
    `${customer}/phone`,
    'only with offset alone',
    set('data/customers/3/phone', 12),
    allOf(has('offset'), lacks('limit', 'linked_source_type')),
  ],
  [
    `${customer}/email`,
    'only with limit and Store',
    set('data/customers/3/email', {}),
    allOf(has('limit'), lacks('offset'), ofType('Store')),
  ],
  [
    `${customer}/email`,
    'only with offset and User',
    set('data/customers/3/email', []),
    allOf(has('offset'), lacks('limit'), ofType('User')),
  ],
  [
    `${customer}/name`,
    'only with all three',
    set('data/customers/0/name', 1),
    allOf(has('limit'), has('offset'), has('linked_source_type')),
  ],
  [
    `${customer}/reference_number`,
    'only on the third page',
    set('data/customers/5/reference_number', null),
    offsetFrom(21),
  ],
  ...ofTheThirdPage.map(([breaks, name, change]): Row => [breaks, name, change, has('offset', '40')]),
  [`${token}/default`, 'default a string in the eighteenth customer', eighteenth],
  [`${customer}/uuid`, 'only the last customer of a page', set('data/customers/-1/uuid', undefined)],
  ...ofTokens,
  [
    `${lookedUpToken}/error_code`,
    'error code a number, only of a failed binding',
    inTokens('error_code', 51, ({ error_code }) => error_code),
  ],
  [
    'getCard/data/card/expiration_date',
    'only the second card',
    set('data/card/expiration_date', '00/27'),
    has('id', identifiers.CARD_IDS[1]),
  ],
  [
    'getCard/data/card/limits/*/used_amount',
    'only one limit of a card',
    set('data/card/limits/-1/used_amount', 5),
  ],
  [
    'getFeeRules/data/fee_rules/*/fixed_fee',
    'only for a user',
    set('data/fee_rules/0/fixed_fee', '1,5'),
    has('type', 'user'),
  ],
  [
    'getFeeRules/data/fee_rules/*/percentage_fee',
    'only for a business',
    set('data/fee_rules/0/percentage_fee', null),
    has('type', 'business'),
  ],
]);
