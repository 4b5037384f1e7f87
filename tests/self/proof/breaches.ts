import { set } from '../../../mock/edits.ts';
import { type Fault, fault } from '../../../mock/faults/fault.ts';
import { faults } from '../../../mock/faults/index.ts';
import { identifiers } from '../../../mock/seed.ts';
import { operationOf } from './batches.ts';
import { onlyFor, type RequestSelector } from './request-selectors.ts';

/** A fault with where its findings must point to. */
export interface Breach extends Pick<Fault, 'name' | 'breaks' | 'alter'> {
  pointer: RegExp;
}

const list = (field: string) => `listCustomers/data/customers/*/${field}`;

const [card = '', , thirdCard = '', fourthCard = '', fifthCard = ''] = identifiers.CARD_IDS;
const [customer = '', secondCustomer = '', thirdCustomer = ''] = identifiers.CUSTOMER_IDS;
const [user = '', secondUser = '', thirdUser = ''] = identifiers.USER_IDS;
const allOfStores = { linked_source_type: 'Store', limit: undefined, offset: undefined };

/**
 * Breaches of one rule each, of every kind that a user may meet, by one provider: those that would show in the same
 * answers are kept to requests of their own.
 */
export const breaches: Breach[] = [
  only({ id: card }, written('getCard/data/card/expiration_date', 'data/card/expiration_date', '13/28')),
  known('does not know the second record', 'getCard/parameters/id', 'request'),
  only(
    { id: thirdCard },
    written('getCard/data/card/limits/*/limit_amount', 'data/card/limits/0/limit_amount', 1000),
  ),
  only({ id: fourthCard }, known('another card', 'getCard/rules/id-is-requested', '/data/card/id')),
  only({ id: fifthCard }, known('a number beyond a double', 'getCard/rules/finite-numbers', '/extra')),
  only(allOfStores, known('HTTP 201', 'listCustomers/http/status', 'http')),
  known(
    'default a string in the eighteenth customer',
    list('default_payment_token/default'),
    '/data/customers/17/default_payment_token/default',
  ),
  known('dial code without plus, only for Store', list('dial_code'), '/data/customers/\\d+/dial_code'),
  known('uuid a number, only for Store beyond the first page', list('uuid'), '/data/customers/17/uuid'),
  known('rejects User', 'listCustomers/parameters/linked_source_type', 'request'),
  only({ id: customer }, known('content type text/html', 'getCustomer/http/content-type', 'http')),
  only(
    { id: secondCustomer },
    known('another customer', 'getCustomer/rules/id-is-requested', '/data/customer/uuid'),
  ),
  only({ id: thirdCustomer }, known('a truncated body', 'getCustomer/http/json', 'http')),
  known(
    'error code a number, only of a failed binding',
    'getCustomer/data/customer/default_payment_token/error_code',
    '/data/customer/default_payment_token/error_code',
  ),
  known(
    'token null, only of AlipayAutoDebit',
    'getCustomer/data/customer/default_payment_token/token',
    '/data/customer/default_payment_token/token',
  ),
  only(
    { type: 'business' },
    written('getFeeRules/data/fee_rules/*/fixed_fee', 'data/fee_rules/0/fixed_fee', '1,000.00'),
  ),
  only(
    { user_id: user },
    known('p_user_id as a number', 'getFeeRules/data/fee_rules/*/user_id', '/data/fee_rules/0/\\w*user_id'),
  ),
  only({ user_id: secondUser }, known('code 200.00000000000000001', 'getFeeRules/code', '/code')),
  only({ user_id: thirdUser }, known('a key twice', 'getFeeRules/rules/unique-keys', '/code')),
  known('no rules for a user who is not named', 'getFeeRules/rules/user-id-required', 'request'),
];

/** A value that one field has in each answer. */
function written(breaks: string, path: string, value: unknown): Breach {
  const pointer = new RegExp(`^/${path}$`);
  return { ...fault(`${path} is ${JSON.stringify(value)}`, breaks, set(path, value)), pointer };
}

/** A fault of the mock. @throws when it has none of that name that breaks the rule. */
function known(name: string, breaks: string, pointer: string): Breach {
  const own = faults.find((one) => one.breaks === breaks && one.name.endsWith(`: ${name}`));
  if (!own) throw new Error(`mock/faults has no "${name}" that breaks ${breaks}`);
  return { ...own, pointer: new RegExp(`^${pointer}$`) };
}

/** A breach in the answers to some requests of its operation alone, by what they send. */
function only(sent: RequestSelector['sent'], breach: Breach): Breach {
  return { ...breach, alter: onlyFor(breach, { operation: operationOf(breach), sent }) };
}
