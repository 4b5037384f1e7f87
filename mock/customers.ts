import { type CreditCard, type Customer, type PaymentToken, type Source, uuid } from './records.ts';

/** Customer of the mock, and the lists in which the mock shows the customer. */
export interface SeededCustomer {
  /** Values of `linked_source_type` for which the mock lists the customer (contract 4.2), such as `['User']`. */
  linkedTo: readonly Source[];
  customer: Customer;
}

/** Returns whether a list shows a customer. */
export type CustomerFilter = (customer: SeededCustomer) => boolean;

/** Customers of the mock: the list (contract 4.2) and the lookup by `uuid` (contract 4.3). */
export interface CustomerDirectory {
  /** Lists the customers that a filter selects, from index `start` to before index `end` of these customers. */
  list(filter: CustomerFilter | 'all', start: number, end: number): readonly Customer[];
  /** Finds the customer with this `uuid`; undefined if there is none, or if the `uuid` is undefined. */
  find(uuid: string | undefined): Customer | undefined;
}

/** Values that identify a customer of the mock: no two customers share one. */
export interface Identity {
  uuid: string;
  reference_number: string;
  token: string;
}

/** Which optional fields a customer has (contract 2.4 to 2.6), and the values of the payment token. Customers share ten shapes. */
export interface Shape {
  /** Names of the optional fields that the customer lacks, such as `['email']`. */
  without: readonly ('name' | 'email' | 'phone' | 'default_payment_method')[];
  /** Payment token of the customer (contract 2.5), without the value and the card; undefined for a customer without a token. */
  token?: Omit<PaymentToken, 'token' | 'credit_card'>;
  /** Names of the fields that the token's credit card has (contract 2.6), such as `['number', 'brand']`; undefined for no card. */
  creditCard?: readonly (keyof CreditCard)[];
}

/** Creates the part of a payment token (contract 2.5) that is equal for all customers of a shape: all but `token` and the card. */
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

/** Shape of a customer with every optional field (contract 2.4 to 2.6). None of `shapes` has all of them. */
export const wholeShape: Shape = {
  without: [],
  token: createToken('CreditCard', 'Failed', false, declined),
  creditCard: creditCardFields,
};

/** Ten shapes, which the customers have in turn, so that a page of twenty shows each shape twice. The first three differ most. */
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

/** Returns the value at an index of an endless repetition of the values: index 3 of `[a, b]` is `b`. */
const pickCyclically = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/**
 * Returns the values of `linked_source_type` (contract 4.2) for which the customer at an index is listed. Every ten customers, the
 * shapes repeat and the sources shift by one, so that the first page of either source shows every shape.
 */
export const getLinkedSources = (index: number): readonly Source[] =>
  pickCyclically<readonly Source[]>([['User'], ['Store'], ['User', 'Store']], index + Math.floor(index / 10));

/** Composes `name`, `email` and the name on the credit card (`holder`) of the person at an index. */
function composePerson(index: number) {
  const name = `${pickCyclically(givenNames, index)} ${pickCyclically(familyNames, index)}`;
  const asciiName = name.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  return {
    name,
    email: `${asciiName.toLowerCase().replace(' ', '.')}@example.com`,
    holder: name.toUpperCase(),
  };
}

/** All combinations of given and family names. If there are more customers, the names are used again, from the first one. */
const people = Array.from({ length: givenNames.length * familyNames.length }, (_, index) =>
  composePerson(index),
);

/** Composes a credit card (contract 2.6) that has only the fields in `fields`. @param holder name on the card */
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
 * Composes the customer at an index of the list (contract 2.4), with the fields of a shape and the identifiers of an identity. Assigns
 * field by field, because deleting the fields in `shape.without` would slow down composing and serializing a million customers.
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

/** Creates `uuid`, `reference_number` and token of the seeded customer at an index (from 0), equal in each run. */
export const createSeededIdentity = (index: number): Identity => ({
  uuid: uuid('customer', index + 1),
  reference_number: `CUST-${String(index + 1).padStart(6, '0')}`,
  token: `tok_${uuid('token', index + 1).replaceAll('-', '')}`,
});

/** Creates the seeded customer at any index from 0, always an equal one. `customers` holds those with the indices 0 to 74. */
export const seededCustomer = (index: number): SeededCustomer => ({
  linkedTo: getLinkedSources(index),
  customer: composeCustomer(index, pickCyclically(shapes, index), createSeededIdentity(index)),
});

/** The 75 seeded customers: three pages of 20 and a shorter one. 50 of them are linked to each source. */
export const customers: readonly SeededCustomer[] = Array.from({ length: 75 }, (_, index) =>
  seededCustomer(index),
);
