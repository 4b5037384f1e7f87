import { type CreditCard, type Customer, type PaymentToken, type Source, uuid } from './records.ts';

export interface SeededCustomer {
  /** Values of `linked_source_type` (contract 4.2) for which the list contains the customer, such as `['User']`. */
  linkedTo: readonly Source[];
  customer: Customer;
}

export type CustomerFilter = (customer: SeededCustomer) => boolean;

export interface CustomerStore {
  /** Returns the customers that pass the filter, from index `start` to `end - 1` of the filtered list. */
  list(filter: CustomerFilter | 'all', start: number, end: number): readonly Customer[];
  find(uuid: string | undefined): Customer | undefined;
}

export interface Identity {
  uuid: string;
  reference_number: string;
  token: string;
}

/** Says which optional fields and which payment token a customer has (contract 2.4 to 2.6). */
export interface CustomerTemplate {
  without: readonly ('name' | 'email' | 'phone' | 'default_payment_method')[];
  /** Value of `default_payment_token`, without its fields `token` and `credit_card`, which `composeCustomer` adds. */
  token?: Omit<PaymentToken, 'token' | 'credit_card'>;
  /** Names of the fields of `credit_card`, such as `['number', 'brand']`; undefined for a token without `credit_card`. */
  creditCard?: readonly (keyof CreditCard)[];
}

const createToken = (
  token_type: PaymentToken['token_type'],
  state: string,
  isDefault: boolean,
  errors: Pick<PaymentToken, 'error_code' | 'error_msg'> = {},
) => ({ token_type, state, default: isDefault, ...errors });

const declined = { error_code: 'card_declined', error_msg: 'The issuer refused to bind this card.' };
const agreementMissing = { error_code: 'agreement_not_signed' };
const expiryFields = ['exp_month', 'exp_year'] as const;
const creditCardFields = ['number', ...expiryFields, 'holder_name', 'brand', 'billing_currency'] as const;

/** Template with every optional field. Used if a `PlantedFault` needs a field that the template of a customer lacks. */
export const completeTemplate: CustomerTemplate = {
  without: [],
  token: createToken('CreditCard', 'Failed', false, declined),
  creditCard: creditCardFields,
};

/** Templates of ten successive customers. The next ten customers have the same templates in the same order. */
export const customerTemplates: readonly CustomerTemplate[] = [
  { without: [], token: createToken('CreditCard', 'Active', true), creditCard: creditCardFields },
  { without: ['name', 'email', 'phone', 'default_payment_method'] },
  {
    without: ['email'],
    token: createToken('CreditCard', 'Failed', false, declined),
    creditCard: ['number', 'brand'],
  },
  {
    without: ['phone'],
    token: createToken('CreditCard', 'Active', true),
    creditCard: [...expiryFields, 'holder_name', 'billing_currency'],
  },
  {
    without: ['default_payment_method'],
    token: createToken('CreditCard', 'Pending', false),
    creditCard: ['number', ...expiryFields],
  },
  { without: ['name'], token: createToken('WechatPayAutoDebit', 'Active', true) },
  { without: ['name', 'phone'], token: createToken('AlipayAutoDebit', 'Active', false) },
  { without: [] },
  { without: ['email', 'phone'], token: createToken('CreditCard', 'Active', true), creditCard: [] },
  { without: [], token: createToken('AlipayAutoDebit', 'Failed', false, agreementMissing) },
];

const givenNames =
  'Amara Björn Chloé Dmitri Esra Farid Grace Hana Ivo José Keiko Lindiwe Mateo Nadia Omar'.split(' ');
const familyNames =
  'Abara Brand Costa Dunmore Eskola Galván Hollins Jansone Kestrel Müller Nakagawa O’Dell Perrin'.split(' ');
const brands = ['Visa', 'Mastercard', 'American Express', 'UnionPay'];
const currencies = ['USD', 'EUR', 'HKD'];

/** First digits of telephone numbers that are reserved for fiction (Ofcom, NANPA 555-01XX, ComReg). */
const fictionalNumbers = [
  { dial_code: '+1', firstDigits: '20255501' },
  { dial_code: '+44', firstDigits: '77009000' },
  { dial_code: '+353', firstDigits: '2091000' },
];

export const pickCyclically = <T>(values: readonly T[], index: number): T =>
  values[index % values.length] as T;

/** Returns the values of `linked_source_type` for which the list contains the customer at an index: `User`, `Store` or both. */
export function getLinkedSources(index: number): readonly Source[] {
  const cycle: readonly (readonly Source[])[] = [['User'], ['Store'], ['User', 'Store']];
  // Skips one step after every ten customers, so that each template occurs with each source.
  const skippedSteps = Math.floor(index / customerTemplates.length);
  return pickCyclically(cycle, index + skippedSteps);
}

function composePerson(index: number) {
  const name = `${pickCyclically(givenNames, index)} ${pickCyclically(familyNames, index)}`;
  // Decomposes a letter such as `é` into `e` and its accent, and drops the accent.
  const asciiName = name.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  return {
    name,
    email: `${asciiName.toLowerCase().replace(' ', '.')}@example.com`,
    cardHolderName: name.toUpperCase(),
  };
}

/** 195 people with different names. Cycles of 15 given and 13 family names repeat a pair only after 15 × 13 people. */
const people = Array.from({ length: givenNames.length * familyNames.length }, (_, index) =>
  composePerson(index),
);

function composeCreditCard(index: number, holder: string, fields: readonly (keyof CreditCard)[]): CreditCard {
  const completeCard: Required<CreditCard> = {
    number: `424242******${1000 + (index % 9000)}`,
    exp_month: String((index % 12) + 1).padStart(2, '0'),
    exp_year: String(2027 + (index % 5)),
    holder_name: holder,
    brand: pickCyclically(brands, index),
    billing_currency: pickCyclically(currencies, index),
  };
  const card: CreditCard = {};
  for (const field of fields) card[field] = completeCard[field];
  return card;
}

/** Composes a customer. Never sets the fields in `template.without`: deleting them later is slow for a million customers. */
export function composeCustomer(index: number, template: CustomerTemplate, identity: Identity): Customer {
  const { without, token } = template;
  const { name, email, cardHolderName } = pickCyclically(people, index);
  const { dial_code, firstDigits } = pickCyclically(fictionalNumbers, index);
  const customer = {} as Customer;
  if (!without.includes('name')) customer.name = name;
  if (!without.includes('email')) customer.email = email;
  customer.dial_code = dial_code;
  if (!without.includes('phone')) customer.phone = `${firstDigits}${String(index % 100).padStart(2, '0')}`;
  customer.reference_number = identity.reference_number;
  if (!without.includes('default_payment_method'))
    customer.default_payment_method = token?.token_type ?? 'BankTransfer';
  customer.uuid = identity.uuid;
  if (token) {
    const credit_card = template.creditCard && composeCreditCard(index, cardHolderName, template.creditCard);
    customer.default_payment_token = { ...token, token: identity.token, ...(credit_card && { credit_card }) };
  }
  return customer;
}

export const createSeededIdentity = (index: number): Identity => ({
  uuid: uuid('customer', index + 1),
  reference_number: `CUST-${String(index + 1).padStart(6, '0')}`,
  token: `tok_${uuid('token', index + 1).replaceAll('-', '')}`,
});

/** Creates the customer at an index, such as 0 for the first one. `customers` holds the first 75. */
export const createSeededCustomer = (index: number): SeededCustomer => ({
  linkedTo: getLinkedSources(index),
  customer: composeCustomer(index, pickCyclically(customerTemplates, index), createSeededIdentity(index)),
});

/** The 75 customers of the mock: 26 only in the list of `User`, 24 only in the list of `Store`, and 25 in both lists. */
export const customers: readonly SeededCustomer[] = Array.from({ length: 75 }, (_, index) =>
  createSeededCustomer(index),
);
