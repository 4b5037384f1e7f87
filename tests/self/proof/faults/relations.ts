import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import { fullCustomers, customers as seeded } from '../../../../mock/seed.ts';
import type { Alter, MockAnswer } from '../../../../mock/server.ts';
import { altering, type Change, type Condition, dataOf, has, offsetFrom } from '../../harness/edits.ts';
import { rejecting } from '../derived.ts';
import { inTurn } from '../variants/variant.ts';
import { rejectedAsSuccess } from './behaviour.ts';
import { type Fault, fault } from './fault.ts';
import { repeatedAnswers } from './relations-of-cards-and-rules.ts';

type Which = (customer: Customer) => boolean;
type Edit = (customer: Customer) => void;

const uuidAt = (index: number) => seeded[index]?.customer.uuid ?? '';

const at =
  (index: number): Which =>
  ({ uuid }) =>
    uuid === uuidAt(index);
const withToken =
  (type: PaymentToken['token_type'], state?: string): Which =>
  ({ default_payment_token: token }) =>
    token?.token_type === type && (state === undefined || token.state === state);

const editList =
  (which: Which, edit: Edit): Change =>
  (answer) => {
    for (const customer of dataOf<{ customers: Customer[] }>(answer).customers.filter(which)) edit(customer);
    return answer;
  };

/** Edits or replaces the lookups of some customers. */
const changeLookup =
  (which: Which, change: Change): Change =>
  (answer, request) =>
    which(dataOf<{ customer: Customer }>(answer).customer) ? change(answer, request) : undefined;
const editLookup = (which: Which, edit: Edit): Change =>
  changeLookup(which, (answer) => {
    edit(dataOf<{ customer: Customer }>(answer).customer);
    return answer;
  });

/** The only customer of its shape, on the second page of twenty: whoever looks up one of each shape looks it up. */
const rareIndex = 25;
const makeRare: Edit = (customer) => {
  delete customer.email;
  delete customer.phone;
  delete customer.default_payment_method;
};
const rareShape: Alter = inTurn(
  altering('listCustomers', editList(at(rareIndex), makeRare)),
  altering('getCustomer', editLookup(at(rareIndex), makeRare)),
);

/** Which customers a lookup is wrong for; none of them is configured, so that only the list names them. */
const unlucky: [who: string, which: Which, before?: Alter][] = [
  ['the fourth customer', at(3)],
  ['customers with a token for WeChat', withToken('WechatPayAutoDebit')],
  ['customers whose agreement was not signed', withToken('AlipayAutoDebit', 'Failed')],
  ['a customer of the second page', at(rareIndex), rareShape],
];

/** The same fault in the lookups of each of these customers. */
const inLookups = (name: string, breaks: string, change: (which: Which) => Change): Fault[] =>
  unlucky.map(([who, which, before]) => {
    const { alter, ...rest } = fault(`${name}, only for ${who}`, breaks, change(which));
    return { ...rest, alter: before ? inTurn(before, alter) : alter };
  });

const shared = (name: string, which: Which, other: number, when?: Condition): Fault =>
  fault(
    `one uuid for two customers, ${name}`,
    'listCustomers/rules/uuid-is-unique',
    editList(which, (customer) => {
      customer.uuid = uuidAt(other);
    }),
    when,
  );

/** Customers that share a `uuid` have the same shape, so that nothing else about them differs. */
const sharedIdentifiers: Fault[] = [
  shared('on one page', at(17), 7),
  shared('on the first page and the third', at(47), 7),
  shared('only of those linked to a store', at(27), 7, has('linked_source_type', 'Store')),
  shared('only on later pages', at(57), 27, offsetFrom(20)),
  shared('only of those with an active token for Alipay', withToken('AlipayAutoDebit', 'Active'), 6),
];

const rejections: [name: string, answer: Partial<MockAnswer>][] = [
  ['HTTP 404', { status: 404, body: { code: 404, message: 'customer not found', data: null } }],
  ['HTTP 410', { status: 410, body: { code: 410, message: 'gone', data: null } }],
  ['HTTP 200 and code 40401', { body: { code: 40_401, message: 'customer not found', data: null } }],
];

const notFound = rejections.flatMap(([name, rejection]) =>
  inLookups(`listed, and answered with ${name}`, 'getCustomer/rules/listed-is-found', (which) =>
    changeLookup(which, (answer) => ({ ...answer, ...structuredClone(rejection) })),
  ),
);

/** A list that shows a customer is the evidence that there is one, whoever has configured the same. */
const configured = fullCustomers[1] ?? '';
const isConfigured: Which = ({ uuid }) => uuid === configured;
const unlisted = altering('listCustomers', (answer) => {
  const data = dataOf<{ customers: Customer[] }>(answer);
  data.customers = data.customers.filter((one) => !isConfigured(one));
  return answer;
});
const unknownCustomers: Fault[] = [
  fault('rejects in HTTP 200', 'getCustomer/rules/listed-is-found', rejectedAsSuccess),
  fault(
    'does not know the second record, that the list shows',
    'getCustomer/rules/listed-is-found',
    rejecting(404),
    has('id', configured),
  ),
  {
    name: 'getCustomer: does not know the second record, that no list shows',
    breaks: 'getCustomer/parameters/id',
    alter: inTurn(unlisted, altering('getCustomer', rejecting(404), has('id', configured))),
  },
];

const firstNumber = { reference_number: seeded[0]?.customer.reference_number };
const wrongNumbers: [name: string, edit: Edit][] = [
  ['another reference_number', (customer) => Object.assign(customer, { reference_number: 'CUST-999999' })],
  ['the reference_number of the first customer', (customer) => Object.assign(customer, firstNumber)],
  ['an empty reference_number', (customer) => Object.assign(customer, { reference_number: '' })],
];

const otherNumbers = wrongNumbers.flatMap(([name, edit]) =>
  inLookups(`${name} than listed`, 'getCustomer/rules/same-as-listed', (which) => editLookup(which, edit)),
);

const token: PaymentToken = { token_type: 'AlipayAutoDebit', token: 'tok_1', state: 'Active', default: true };
const dropToken: Edit = (customer) => {
  delete customer.default_payment_token;
};
const tokenAsListed = 'getCustomer/rules/token-as-listed';

/** Changes what every list shows; the lookup, that the rule is about, is as usual. */
const onlyListed = (name: string, change: Change): Fault => ({
  name: `getCustomer: ${name}`,
  breaks: tokenAsListed,
  alter: altering('listCustomers', change),
});

const tokens: Fault[] = [
  ...inLookups('a token that only the list shows', tokenAsListed, (which) =>
    editLookup((customer) => which(customer) && customer.default_payment_token !== undefined, dropToken),
  ),
  fault(
    'a token that only the lookup shows, only for customers with a name',
    tokenAsListed,
    editLookup(
      ({ name, default_payment_token }) => name !== undefined && !default_payment_token,
      (customer) => {
        customer.default_payment_token = { ...token };
      },
    ),
  ),
  onlyListed(
    'a token that no list shows, only of a pending card',
    editList(withToken('CreditCard', 'Pending'), dropToken),
  ),
  onlyListed(
    'a token that only the list shows, where none was set',
    editList(at(7), (customer) => {
      customer.default_payment_token = { ...token };
    }),
  ),
];

/** Breaches that no single answer shows. */
export const relations: Fault[] = [
  ...sharedIdentifiers,
  ...notFound,
  ...unknownCustomers,
  ...otherNumbers,
  ...tokens,
  ...repeatedAnswers,
];
