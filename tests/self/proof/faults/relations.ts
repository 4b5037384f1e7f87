import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import { customers as seeded } from '../../../../mock/seed.ts';
import type { Alter, MockAnswer } from '../../../../mock/server.ts';
import { altering, type Change, type Condition, dataOf, has, offsetFrom } from '../../harness/edits.ts';
import { rejecting } from '../derived.ts';
import { fullCustomers } from '../full-records.ts';
import { inTurn } from '../variants/variant.ts';
import { rejectedAsSuccess } from './behaviour.ts';
import { customersIn, type Edit, editing, type Fault, fault, type Which, withToken } from './fault.ts';
import { repeatedAnswers } from './relations-of-cards-and-rules.ts';

const uuidAt = (index: number) => seeded[index]?.customer.uuid ?? '';
const named =
  (id: string): Which =>
  ({ uuid }) =>
    uuid === id;
const at = (index: number) => named(uuidAt(index));

/** The only customer of its shape, on the second page of twenty: whoever looks up one of each shape looks it up. */
const rare = at(25);
const makeRare = editing(rare, (customer) => {
  delete customer.email;
  delete customer.phone;
  delete customer.default_payment_method;
});
const rareShape = inTurn(altering('listCustomers', makeRare), altering('getCustomer', makeRare));

/** Which customers a lookup is wrong for; none of them is configured, so that only the list names them. */
const unlucky: [who: string, which: Which, before?: Alter][] = [
  ['the fourth customer', at(3)],
  ['customers with a token for WeChat', withToken('WechatPayAutoDebit')],
  ['customers whose agreement was not signed', withToken('AlipayAutoDebit', 'Failed')],
  ['a customer of the second page', rare, rareShape],
];

/** The same fault in the lookups of each of these customers. */
const inLookups = (name: string, breaks: string, change: (which: Which) => Change): Fault[] =>
  unlucky.map(([who, which, before]) => {
    const { alter, ...rest } = fault(`${name}, only for ${who}`, breaks, change(which));
    return { ...rest, alter: before ? inTurn(before, alter) : alter };
  });

const active = withToken('AlipayAutoDebit', 'Active');
const ofStores = has('linked_source_type', 'Store');

/** Customers that share a `uuid` have the same shape, so that nothing else about them differs. */
const sharing: [name: string, which: Which, other: number, when?: Condition][] = [
  ['on one page', at(17), 7],
  ['on the first page and the third', at(47), 7],
  ['only of those linked to a store', at(27), 7, ofStores],
  ['only on later pages', at(57), 27, offsetFrom(20)],
  ['only of those with an active token for Alipay', active, 6],
];
const sharedIdentifiers = sharing.map(([name, which, other, when]) => {
  const share = editing(which, (customer) => void Object.assign(customer, { uuid: uuidAt(other) }));
  return fault(`one uuid for two customers, ${name}`, 'listCustomers/rules/uuid-is-unique', share, when);
});

const rejections: [name: string, answer: Partial<MockAnswer>][] = [
  ['HTTP 404', { status: 404, body: { code: 404, message: 'customer not found', data: null } }],
  ['HTTP 410', { status: 410, body: { code: 410, message: 'gone', data: null } }],
  ['HTTP 200 and code 40401', { body: { code: 40_401, message: 'customer not found', data: null } }],
];

const isFound = 'getCustomer/rules/listed-is-found';
const notFound = rejections.flatMap(([name, rejection]) =>
  inLookups(
    `listed, and answered with ${name}`,
    isFound,
    (which) => (answer) =>
      customersIn(answer).some(which) ? { ...answer, ...structuredClone(rejection) } : undefined,
  ),
);

/** A list that shows a customer is the evidence that there is one, whoever has configured the same. */
const configured = fullCustomers[1] ?? '';
const isConfigured = has('id', configured);
const unlisted = altering('listCustomers', (answer) => {
  const data = dataOf<{ customers: Customer[] }>(answer);
  data.customers = data.customers.filter((one) => !named(configured)(one));
  return answer;
});
const unknownCustomers: Fault[] = [
  fault('rejects in HTTP 200', isFound, rejectedAsSuccess),
  fault('does not know the second record, that the list shows', isFound, rejecting(404), isConfigured),
  {
    name: 'getCustomer: does not know the second record, that no list shows',
    breaks: 'getCustomer/parameters/id',
    alter: inTurn(unlisted, altering('getCustomer', rejecting(404), isConfigured)),
  },
];

const wrongNumbers = {
  'another reference_number': 'CUST-999999',
  'the reference_number of the first customer': seeded[0]?.customer.reference_number,
  'an empty reference_number': '',
};
const otherNumbers = Object.entries(wrongNumbers).flatMap(([name, reference_number]) =>
  inLookups(`${name} than listed`, 'getCustomer/rules/same-as-listed', (which) =>
    editing(which, (customer) => void Object.assign(customer, { reference_number })),
  ),
);

const token: PaymentToken = { token_type: 'AlipayAutoDebit', token: 'tok_1', state: 'Active', default: true };
const tokenAsListed = 'getCustomer/rules/token-as-listed';
const giveToken: Edit = (customer) => void Object.assign(customer, { default_payment_token: { ...token } });
const dropToken: Edit = (customer) => {
  delete customer.default_payment_token;
};
const isNamedWithoutToken: Which = ({ name, default_payment_token }) =>
  name !== undefined && !default_payment_token;

/** Changes of what every list shows; the lookup, that the rule is about, is as usual. */
const onlyListed: [name: string, change: Change][] = [
  [
    'a token that no list shows, only of a pending card',
    editing(withToken('CreditCard', 'Pending'), dropToken),
  ],
  ['a token that only the list shows, where none was set', editing(at(7), giveToken)],
];

const tokens: Fault[] = [
  ...inLookups('a token that only the list shows', tokenAsListed, (which) => editing(which, dropToken)),
  fault(
    'a token that only the lookup shows, only for customers with a name',
    tokenAsListed,
    editing(isNamedWithoutToken, giveToken),
  ),
  ...onlyListed.map(([name, change]) => ({
    name: `getCustomer: ${name}`,
    breaks: tokenAsListed,
    alter: altering('listCustomers', change),
  })),
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
