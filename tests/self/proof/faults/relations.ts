import { customers as seededCustomers } from '../../../../mock/customers.ts';
import type { Customer, PaymentToken } from '../../../../mock/records.ts';
import type { MockResponse } from '../../../../mock/responses.ts';
import type { Alter } from '../../../../mock/server.ts';
import {
  altering,
  applyInOrder,
  type Change,
  type Condition,
  hasParameter,
  lacksParameters,
  readData,
  startsFrom,
} from '../../harness/edits.ts';
import { rejectWith } from '../derived.ts';
import { fullCustomers } from '../full-records.ts';
import { rejectedAsSuccess } from './behaviour.ts';
import {
  type CustomerFilter,
  createFault,
  type Edit,
  editCustomers,
  type Fault,
  hasToken,
  readCustomers,
} from './fault.ts';
import { changingCardFaults } from './relations-of-cards-and-rules.ts';

const readUuid = (index: number) => seededCustomers[index]?.customer.uuid ?? '';
const hasUuid =
  (id: string): CustomerFilter =>
  ({ uuid }) =>
    uuid === id;
const isCustomerAt = (index: number) => hasUuid(readUuid(index));

const isOnSecondPage = isCustomerAt(25);
const removeOptionalFields = editCustomers(isOnSecondPage, (customer) => {
  delete customer.email;
  delete customer.phone;
  delete customer.default_payment_method;
});
/** Removes optional fields of one customer, so that the suite looks this customer up. */
const makeFieldSetUnique = applyInOrder(
  altering('listCustomers', removeOptionalFields),
  altering('getCustomer', removeOptionalFields),
);

/** Customers whose lookup gets a fault; `prepareAnswer` makes the suite look them up. */
const lookupRows: [customerName: string, isSelected: CustomerFilter, prepareAnswer?: Alter][] = [
  ['the fourth customer', isCustomerAt(3)],
  ['customers with a token for WeChat', hasToken('WechatPayAutoDebit')],
  ['customers whose agreement was not signed', hasToken('AlipayAutoDebit', 'Failed')],
  ['a customer of the second page', isOnSecondPage, makeFieldSetUnique],
];

const createLookupFaults = (
  name: string,
  breaks: string,
  createChange: (isSelected: CustomerFilter) => Change,
): Fault[] =>
  lookupRows.map(([customerName, isSelected, prepareAnswer]) => {
    const lookupFault = createFault(`${name}, only for ${customerName}`, breaks, createChange(isSelected));
    if (!prepareAnswer) return lookupFault;
    return { ...lookupFault, alter: applyInOrder(prepareAnswer, lookupFault.alter) };
  });

const hasActiveToken = hasToken('AlipayAutoDebit', 'Active');
const isLinkedToStore = hasParameter('linked_source_type', 'Store');

/** Customers that get the `uuid` of `seededCustomers[otherIndex]`, in responses to requests that `when` selects (default: all). */
const sharingRows: [name: string, which: CustomerFilter, otherIndex: number, when?: Condition][] = [
  ['on one page', isCustomerAt(17), 7],
  ['on the first page and the third', isCustomerAt(47), 7],
  ['only in the list of those linked to a store', isCustomerAt(27), 7, isLinkedToStore],
  ['only on later pages', isCustomerAt(57), 27, startsFrom(20)],
  ['every customer with an active token for Alipay', hasActiveToken, 6],
];
const sharedIdentifierFaults = sharingRows.map(([name, which, otherIndex, when]) => {
  const shareUuid = editCustomers(which, (customer) => {
    customer.uuid = readUuid(otherIndex);
  });
  return createFault(
    `one uuid for two customers, ${name}`,
    'listCustomers/rules/uuid-is-unique',
    shareUuid,
    when,
  );
});

const rejections: [name: string, response: Partial<MockResponse>][] = [
  ['HTTP 404', { status: 404, body: { code: 404, message: 'customer not found', data: null } }],
  ['HTTP 410', { status: 410, body: { code: 410, message: 'gone', data: null } }],
  ['HTTP 200 and code 40401', { body: { code: 40_401, message: 'customer not found', data: null } }],
];

const listedIsFound = 'getCustomer/rules/listed-is-found';
const rejectLookupOf =
  (isRejected: CustomerFilter, rejection: Partial<MockResponse>): Change =>
  (response) =>
    readCustomers(response).some(isRejected) ? { ...response, ...structuredClone(rejection) } : undefined;

const notFoundFaults = rejections.flatMap(([name, rejection]) =>
  createLookupFaults(`listed, and answered with ${name}`, listedIsFound, (isSelected) =>
    rejectLookupOf(isSelected, rejection),
  ),
);

/* A list that shows a customer proves that the customer exists, also if its identifier is configured. */

const configuredId = fullCustomers[1] ?? '';
const isConfigured = hasParameter('id', configuredId);
const hideConfiguredCustomer = altering('listCustomers', (response) => {
  const data = readData<{ customers: Customer[] }>(response);
  data.customers = data.customers.filter(({ uuid }) => uuid !== configuredId);
  return response;
});
const unknownCustomerFaults: Fault[] = [
  createFault('rejects in HTTP 200', listedIsFound, rejectedAsSuccess),
  createFault(
    'does not know the second record, that the list shows',
    listedIsFound,
    rejectWith(404),
    isConfigured,
  ),
  {
    name: 'getCustomer: does not know the second record, that no list shows',
    breaks: 'getCustomer/parameters/id',
    alter: applyInOrder(hideConfiguredCustomer, altering('getCustomer', rejectWith(404), isConfigured)),
  },
];

const wrongNumbersByName = {
  'another reference_number than listed': 'CUST-999999',
  'the reference_number of the first customer, not as listed': seededCustomers[0]?.customer.reference_number,
  'an empty reference_number, not as listed': '',
};
const setReferenceNumber = (isFaultyCustomer: CustomerFilter, number: string | undefined): Change =>
  editCustomers(isFaultyCustomer, (customer) => {
    Object.assign(customer, { reference_number: number });
  });
const otherNumberFaults = Object.entries(wrongNumbersByName).flatMap(([name, number]) =>
  createLookupFaults(name, 'getCustomer/rules/same-as-listed', (isFaultyCustomer) =>
    setReferenceNumber(isFaultyCustomer, number),
  ),
);

const token: PaymentToken = { token_type: 'AlipayAutoDebit', token: 'tok_1', state: 'Active', default: true };
const tokenAsListed = 'getCustomer/rules/token-as-listed';
const giveToken: Edit = (customer) => {
  customer.default_payment_token = { ...token };
};
const dropToken: Edit = (customer) => {
  delete customer.default_payment_token;
};
const isNamedWithoutToken: CustomerFilter = ({ name, default_payment_token }) =>
  name !== undefined && !default_payment_token;

const dropTokens = editCustomers(() => true, dropToken);

/** Changes of payment tokens in the list only, so that the lookup differs. */
const listRows: [name: string, change: Change, when?: Condition][] = [
  [
    'a token that no list shows, only of a pending card',
    editCustomers(hasToken('CreditCard', 'Pending'), dropToken),
  ],
  ['a token that only the list shows, where none was set', editCustomers(isCustomerAt(7), giveToken)],
  // Django REST framework serializes a list without `limit` in a branch of its own.
  ['a token that the list shows only if limit is sent', dropTokens, lacksParameters('limit')],
  ['a token that the list shows only if limit is not sent', dropTokens, hasParameter('limit')],
  ['a token that only filtered lists show', dropTokens, lacksParameters('linked_source_type')],
];

const changedListFaults = listRows.map(([name, change, when]) => ({
  // The changed list breaks a rule of the lookup.
  name: `getCustomer: ${name}`,
  breaks: tokenAsListed,
  alter: altering('listCustomers', change, when),
}));

const tokenFaults: Fault[] = [
  ...createLookupFaults('a token that only the list shows', tokenAsListed, (which) =>
    editCustomers(which, dropToken),
  ),
  createFault(
    'a token that only the lookup shows, only for customers with a name',
    tokenAsListed,
    editCustomers(isNamedWithoutToken, giveToken),
  ),
  ...changedListFaults,
];

export const comparisonFaults: Fault[] = [
  ...sharedIdentifierFaults,
  ...notFoundFaults,
  ...unknownCustomerFaults,
  ...otherNumberFaults,
  ...tokenFaults,
  ...changingCardFaults,
];
