import { type CreditCard, type Customer, type PaymentToken, type Source, uuid } from './records.ts';

/** Customer with the linked sources, by which the mock filters a list; no response shows them (contract 4.2). */
export interface SeededCustomer {
  linkedTo: readonly Source[];
  customer: Customer;
}

/** Customers of a provider, in the order of the list. */
export interface CustomerDirectory {
  /** Lists the customers from index `start` (inclusive) to `end` (exclusive) among those linked to a source. */
  list(source: Source | 'all', start: number, end: number): readonly Customer[];
  /** Finds the customer with this `uuid`; undefined if there is none. */
  find(uuid: string | undefined): Customer | undefined;
}

/** Values that differ for each customer. */
export interface Identity {
  uuid: string;
  reference_number: string;
  token: string;
}

/** Form of a customer: the optional fields that the customer lacks, and the token (contract 2.5), if any. */
export interface Shape {
  /** Names of the fields to leave out. */
  without: readonly ('name' | 'email' | 'phone' | 'default_payment_method')[];
  token?: Omit<PaymentToken, 'token' | 'credit_card'>;
  /** Fields of the credit card (contract 2.6) in the token; no card if undefined. */
  creditCard?: readonly (keyof CreditCard)[];
}

/** Returns the fields of a payment token (contract 2.5) that its shape settles. */
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

/** Shape with every field (contract 2.4 to 2.6). None of `shapes` has them all. */
export const wholeShape: Shape = {
  without: [],
  token: createToken('CreditCard', 'Failed', false, declined),
  creditCard: creditCardFields,
};

/** Ten shapes, so that each page of twenty shows each shape twice; the first three differ most. */
export const shapes: readonly Shape[] = [
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

/**
 * Number blocks that regulators reserve for fiction (Ofcom, NANPA 555-01XX, ComReg), so that no number belongs to a
 * person.
 */
const phones = [
  { dial_code: '+1', block: '20255501' },
  { dial_code: '+44', block: '77009000' },
  { dial_code: '+353', block: '2091000' },
];

/** Returns the value at an index, starting again at the first value after the last one. */
const pickCyclically = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/**
 * Returns the linked sources of the customer at an index. `shapes` repeats every ten customers, and the links shift by
 * one every ten, so that every shape appears on the first page of either source.
 */
export const getLinkedSources = (index: number): readonly Source[] =>
  pickCyclically<readonly Source[]>([['User'], ['Store'], ['User', 'Store']], index + Math.floor(index / 10));

/** Composes name, email and name on the card of the person at an index. */
function composePerson(index: number) {
  const name = `${pickCyclically(givenNames, index)} ${pickCyclically(familyNames, index)}`;
  const asciiName = name.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  return {
    name,
    email: `${asciiName.toLowerCase().replace(' ', '.')}@example.com`,
    holder: name.toUpperCase(),
  };
}

/** All combinations of given and family names. Customers beyond them get the names again from the first one. */
const people = Array.from({ length: givenNames.length * familyNames.length }, (_, index) =>
  composePerson(index),
);

/** Composes a credit card (contract 2.6) with only these fields. @param holder name on the card */
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

/**
 * Composes the customer at an index (contract 2.4). Assigns field by field instead of deleting fields of `shape.without`,
 * because a deleted field would slow down composing and serializing a million customers.
 */
export function composeCustomer(index: number, shape: Shape, identity: Identity): Customer {
  const { without, token } = shape;
  const { name, email, holder } = pickCyclically(people, index);
  const { dial_code, block } = pickCyclically(phones, index);
  const customer = {} as Customer;
  if (!without.includes('name')) customer.name = name;
  if (!without.includes('email')) customer.email = email;
  customer.dial_code = dial_code;
  if (!without.includes('phone')) customer.phone = `${block}${String(index % 100).padStart(2, '0')}`;
  customer.reference_number = identity.reference_number;
  if (!without.includes('default_payment_method'))
    customer.default_payment_method = token?.token_type ?? 'BankTransfer';
  customer.uuid = identity.uuid;
  if (token) {
    const credit_card = shape.creditCard && composeCreditCard(index, holder, shape.creditCard);
    customer.default_payment_token = { ...token, token: identity.token, ...(credit_card && { credit_card }) };
  }
  return customer;
}

/** Returns the identifiers of the seeded customer at an index, from 0. */
export const createSeededIdentity = (index: number): Identity => ({
  uuid: uuid('customer', index + 1),
  reference_number: `CUST-${String(index + 1).padStart(6, '0')}`,
  token: `tok_${uuid('token', index + 1).replaceAll('-', '')}`,
});

/** Returns the seeded customer at an index; beyond the end of `customers`, the one that would follow there. */
export const seededCustomer = (index: number): SeededCustomer => ({
  linkedTo: getLinkedSources(index),
  customer: composeCustomer(index, pickCyclically(shapes, index), createSeededIdentity(index)),
});

/** The 75 seeded customers, more than three pages of 20. Each source is linked to 50 of them. */
export const customers: readonly SeededCustomer[] = Array.from({ length: 75 }, (_, index) =>
  seededCustomer(index),
);
