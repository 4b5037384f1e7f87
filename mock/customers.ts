import { type CreditCard, type Customer, type PaymentToken, type Source, uuid } from './records.ts';

export interface SeededCustomer {
  linkedTo: readonly Source[];
  customer: Customer;
}

export type CustomerFilter = (customer: SeededCustomer) => boolean;

export interface CustomerStore {
  /** Filters the customers, then returns the slice from `start` to `end` (exclusive). */
  list(filter: CustomerFilter | 'all', start: number, end: number): readonly Customer[];
  find(uuid: string | undefined): Customer | undefined;
}

export interface Identity {
  uuid: string;
  reference_number: string;
  token: string;
}

/** Template that says which optional fields a customer has (contract 2.4 to 2.6). */
export interface CustomerTemplate {
  without: readonly ('name' | 'email' | 'phone' | 'default_payment_method')[];
  /** Fields of `default_payment_token`. If undefined, the customer has no `default_payment_token`. */
  token?: Omit<PaymentToken, 'token' | 'credit_card'>;
  /** Names of the fields of `credit_card`. If undefined, the payment token has no `credit_card`. */
  creditCard?: readonly (keyof CreditCard)[];
}

export const declined = { error_code: 'card_declined', error_msg: 'The issuer refused to bind this card.' };
const agreementMissing = { error_code: 'agreement_not_signed' };
const expiryFields = ['exp_month', 'exp_year'] as const;
export const creditCardFields = [
  'number',
  ...expiryFields,
  'holder_name',
  'brand',
  'billing_currency',
] as const;

/** Templates of the first ten customers. The mock repeats the templates in order. The 11th customer has the first template. */
export const customerTemplates: readonly CustomerTemplate[] = [
  {
    without: [],
    token: { token_type: 'CreditCard', state: 'Active', default: true },
    creditCard: creditCardFields,
  },
  { without: ['name', 'email', 'phone', 'default_payment_method'] },
  {
    without: ['email'],
    token: { token_type: 'CreditCard', state: 'Failed', default: false, ...declined },
    creditCard: ['number', 'brand'],
  },
  {
    without: ['phone'],
    token: { token_type: 'CreditCard', state: 'Active', default: true },
    creditCard: [...expiryFields, 'holder_name', 'billing_currency'],
  },
  {
    without: ['default_payment_method'],
    token: { token_type: 'CreditCard', state: 'Pending', default: false },
    creditCard: ['number', ...expiryFields],
  },
  { without: ['name'], token: { token_type: 'WechatPayAutoDebit', state: 'Active', default: true } },
  { without: ['name', 'phone'], token: { token_type: 'AlipayAutoDebit', state: 'Active', default: false } },
  { without: [] },
  {
    without: ['email', 'phone'],
    token: { token_type: 'CreditCard', state: 'Active', default: true },
    creditCard: [],
  },
  {
    without: [],
    token: { token_type: 'AlipayAutoDebit', state: 'Failed', default: false, ...agreementMissing },
  },
];

const givenNames =
  'Amara Björn Chloé Dmitri Esra Farid Grace Hana Ivo José Keiko Lindiwe Mateo Nadia Omar'.split(' ');
const familyNames =
  'Abara Brand Costa Dunmore Eskola Galván Hollins Jansone Kestrel Müller Nakagawa O’Dell Perrin'.split(' ');
const brands = ['Visa', 'Mastercard', 'American Express', 'UnionPay'];
const currencies = ['USD', 'EUR', 'HKD'];

/** Telephone numbers without the last two digits. The numbers are reserved for fiction (NANPA 555-01XX, Ofcom, ComReg). */
const fictionalNumbers = [
  { dial_code: '+1', firstDigits: '20255501' },
  { dial_code: '+44', firstDigits: '77009000' },
  { dial_code: '+353', firstDigits: '2091000' },
];

export const pickCyclically = <T>(values: readonly T[], index: number): T =>
  values[index % values.length] as T;

const linkedSourcesCycle: readonly (readonly Source[])[] = [['User'], ['Store'], ['User', 'Store']];

export function getLinkedSources(index: number): readonly Source[] {
  // After every ten customers, one step of the cycle is skipped: customer 9 has `['User']`, customer 10 has both sources.
  const skippedSteps = Math.floor(index / customerTemplates.length);
  return pickCyclically(linkedSourcesCycle, index + skippedSteps);
}

function composePerson(index: number) {
  // The lengths of both lists, 15 and 13, have no common divisor, so that a pair recurs only after 15 × 13 people.
  const name = `${pickCyclically(givenNames, index)} ${pickCyclically(familyNames, index)}`;
  // Decomposes a letter such as `é` into `e` and its accent, and drops the accent.
  const asciiName = name.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  return {
    name,
    email: `${asciiName.toLowerCase().replace(' ', '.')}@example.com`,
    cardHolderName: name.toUpperCase(),
  };
}

function composeCreditCard(index: number, holder: string, fields: readonly (keyof CreditCard)[]): CreditCard {
  const cardWithAllFields: Required<CreditCard> = {
    number: `424242******${1000 + (index % 9000)}`,
    exp_month: String((index % 12) + 1).padStart(2, '0'),
    exp_year: String(2027 + (index % 5)),
    holder_name: holder,
    brand: pickCyclically(brands, index),
    billing_currency: pickCyclically(currencies, index),
  };
  const card: CreditCard = {};
  for (const field of fields) card[field] = cardWithAllFields[field];
  return card;
}

function composePaymentToken(
  index: number,
  holder: string,
  template: CustomerTemplate,
  identity: Identity,
): PaymentToken | undefined {
  if (!template.token) return undefined;
  const paymentToken: PaymentToken = { ...template.token, token: identity.token };
  if (template.creditCard) paymentToken.credit_card = composeCreditCard(index, holder, template.creditCard);
  return paymentToken;
}

export function composeCustomer(index: number, template: CustomerTemplate, identity: Identity): Customer {
  const hasField = (name: (typeof template.without)[number]) => !template.without.includes(name);
  const { name, email, cardHolderName } = composePerson(index);
  const { dial_code, firstDigits } = pickCyclically(fictionalNumbers, index);
  const lastTwoDigits = String(index % 100).padStart(2, '0');
  const paymentToken = composePaymentToken(index, cardHolderName, template, identity);
  // Field by field in the order of the response. To compose all fields and delete some would be slow for a million customers.
  const customer = {} as Customer;
  if (hasField('name')) customer.name = name;
  if (hasField('email')) customer.email = email;
  customer.dial_code = dial_code;
  if (hasField('phone')) customer.phone = firstDigits + lastTwoDigits;
  customer.reference_number = identity.reference_number;
  if (hasField('default_payment_method'))
    customer.default_payment_method = paymentToken?.token_type ?? 'BankTransfer';
  customer.uuid = identity.uuid;
  if (paymentToken) customer.default_payment_token = paymentToken;
  return customer;
}

export const createSeededIdentity = (index: number): Identity => ({
  uuid: uuid('customer', index + 1),
  reference_number: `CUST-${String(index + 1).padStart(6, '0')}`,
  token: `tok_${uuid('token', index + 1).replaceAll('-', '')}`,
});

export const createSeededCustomer = (index: number): SeededCustomer => ({
  linkedTo: getLinkedSources(index),
  customer: composeCustomer(index, pickCyclically(customerTemplates, index), createSeededIdentity(index)),
});

export const customers: readonly SeededCustomer[] = Array.from({ length: 75 }, (_, index) =>
  createSeededCustomer(index),
);

export const createCustomerStore = (storedCustomers: readonly SeededCustomer[]): CustomerStore => ({
  list: (filter, start, end) =>
    storedCustomers
      .filter((customer) => filter === 'all' || filter(customer))
      .map(({ customer }) => customer)
      .slice(start, end),
  find: (id) => storedCustomers.find(({ customer }) => customer.uuid === id)?.customer,
});
