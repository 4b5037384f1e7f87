import { allOf, type Change, dataOf, has, lacks, offsetFrom, set, status, text } from '../edits.ts';
import { identifiers } from '../seed.ts';
import type { MockAnswer } from '../server.ts';
import { type Fault, fault } from './fault.ts';

const customer = 'listCustomers/data/customers/*';
const token = `${customer}/default_payment_token`;

/** Each customer of an answer that fits is changed. */
const eachCustomer =
  (path: 'customer' | 'customers', edit: (record: Customer) => void): Change =>
  (answer) => {
    const data = (answer.body as { data: Record<string, unknown> }).data;
    const records = [data[path]].flat() as Customer[];
    for (const record of records) edit(record);
    return answer;
  };

interface Customer extends Record<string, unknown> {
  default_payment_token?: { token_type: string; error_code?: string } & Record<string, unknown>;
}

const ofTokenType = (type: string, field: string, value: unknown) => (record: Customer) => {
  if (record.default_payment_token?.token_type === type) record.default_payment_token[field] = value;
};

/** What a later page may look like when nothing shows at once that it exists. */
const beyondTwoPages: [name: string, requirement: string, change: Change][] = [
  ['as HTTP 206', 'http/status', status(206)],
  ['as HTTP 500', 'http/status', (answer) => ({ ...answer, status: 500, raw: '' })],
  ['cut short', 'http/json', text((json) => json.slice(0, -20))],
  ['with the code in quotes', 'code', set('code', '200')],
  ['with code 404 and nothing else', 'code', (answer) => ({ ...answer, body: { code: 404, data: null } })],
];

/** Breaches that show only for some requests or some records. */
export const conditional: Fault[] = [
  ...['User', 'Store'].flatMap((type) => [
    fault(
      `dial code without plus, only for ${type}`,
      `${customer}/dial_code`,
      set('data/customers/-1/dial_code', '44'),
      has('linked_source_type', type),
    ),
    fault(
      `uuid a number, only for ${type} beyond the first page`,
      `${customer}/uuid`,
      set('data/customers/17/uuid', 17),
      allOf(has('linked_source_type', type), offsetFrom(2)),
    ),
  ]),
  fault(
    'only without parameters',
    `${customer}/phone`,
    set('data/customers/3/phone', null),
    lacks('limit', 'offset', 'linked_source_type'),
  ),
  fault(
    'only with limit alone',
    `${customer}/phone`,
    set('data/customers/3/phone', 12),
    allOf(has('limit'), lacks('offset', 'linked_source_type')),
  ),
  fault(
    'only with offset alone',
    `${customer}/phone`,
    set('data/customers/3/phone', 12),
    allOf(has('offset'), lacks('limit', 'linked_source_type')),
  ),
  fault(
    'only with limit and Store',
    `${customer}/email`,
    set('data/customers/3/email', {}),
    allOf(has('limit'), lacks('offset'), has('linked_source_type', 'Store')),
  ),
  fault(
    'only with offset and User',
    `${customer}/email`,
    set('data/customers/3/email', []),
    allOf(has('offset'), lacks('limit'), has('linked_source_type', 'User')),
  ),
  fault(
    'only with all three',
    `${customer}/name`,
    set('data/customers/0/name', 1),
    allOf(has('limit'), has('offset'), has('linked_source_type')),
  ),
  fault(
    'only on the third page',
    `${customer}/reference_number`,
    set('data/customers/5/reference_number', null),
    offsetFrom(21),
  ),
  ...beyondTwoPages.map(([name, requirement, change]) =>
    fault(`the third page ${name}`, `listCustomers/${requirement}`, change, has('offset', '40')),
  ),
  fault('default a string in the eighteenth customer', `${token}/default`, eighteenth),
  fault('only the last customer of a page', `${customer}/uuid`, set('data/customers/-1/uuid', undefined)),
  ...['CreditCard', 'WechatPayAutoDebit', 'AlipayAutoDebit'].flatMap((type) => [
    fault(
      `state missing, only of ${type}`,
      `${token}/state`,
      eachCustomer('customers', ofTokenType(type, 'state', undefined)),
    ),
    fault(
      `token null, only of ${type}`,
      'getCustomer/data/customer/default_payment_token/token',
      eachCustomer('customer', ofTokenType(type, 'token', null)),
    ),
  ]),
  fault(
    'error code a number, only of a failed binding',
    'getCustomer/data/customer/default_payment_token/error_code',
    eachCustomer('customer', failedBinding),
  ),
  fault(
    'only the second card',
    'getCard/data/card/expiration_date',
    set('data/card/expiration_date', '00/27'),
    has('id', identifiers.CARD_IDS[1]),
  ),
  fault(
    'only one limit of a card',
    'getCard/data/card/limits/*/used_amount',
    set('data/card/limits/-1/used_amount', 5),
  ),
  fault(
    'only for a user',
    'getFeeRules/data/fee_rules/*/fixed_fee',
    set('data/fee_rules/0/fixed_fee', '1,5'),
    has('type', 'user'),
  ),
  fault(
    'only for a business',
    'getFeeRules/data/fee_rules/*/percentage_fee',
    set('data/fee_rules/0/percentage_fee', null),
    has('type', 'business'),
  ),
];

function eighteenth(answer: MockAnswer): MockAnswer {
  const { customers } = dataOf<{ customers: Customer[] }>(answer);
  const record = customers[17];
  if (record)
    record.default_payment_token = { token_type: 'AlipayAutoDebit', token: 't', state: 's', default: 'true' };
  return answer;
}

function failedBinding(record: Customer): void {
  if (record.default_payment_token?.error_code)
    Object.assign(record.default_payment_token, { error_code: 51 });
}
