import { type CreditCard, type Customer, type PaymentToken, type Source, uuid } from './records.ts';

/** A customer, and what it is linked to: the server filters by the link but never returns it (contract 4.2). */
export interface SeededCustomer {
  linkedTo: readonly Source[];
  customer: Customer;
}

/** The customers that a provider knows, in the order in which it lists them. */
export interface CustomerDirectory {
  /** The customers from `start` up to `end` of those linked to a source. */
  list(source: Source | 'all', start: number, end: number): readonly Customer[];
  /** The customer with this `uuid`. */
  find(uuid: string | undefined): Customer | undefined;
}

/** What no two customers share. */
export interface Identity {
  uuid: string;
  reference_number: string;
  token: string;
}

/** One form that a customer may take: what it leaves out, and its token (contract 2.5) if it has any. */
export interface Shape {
  without: readonly ('name' | 'email' | 'phone' | 'default_payment_method')[];
  token?: Omit<PaymentToken, 'token' | 'credit_card'>;
  /** The fields of the credit card (contract 2.6) that the token has, if it has one. */
  creditCard?: readonly (keyof CreditCard)[];
}

const tokenOf = (
  token_type: PaymentToken['token_type'],
  state: string,
  isDefault: boolean,
  errors: Pick<PaymentToken, 'error_code' | 'error_msg'> = {},
) => ({ token_type, state, default: isDefault, ...errors });

const declined = { error_code: 'card_declined', error_msg: 'The issuer refused to bind this card.' };
const unsigned = { error_code: 'agreement_not_signed' };
const expiry = ['exp_month', 'exp_year'] as const;
const cardFields = ['number', ...expiry, 'holder_name', 'brand', 'billing_currency'] as const;

/** Every field that there is (contract 2.4 to 2.6), which none of the usual forms has. */
export const wholeShape: Shape = {
  without: [],
  token: tokenOf('CreditCard', 'Failed', false, declined),
  creditCard: cardFields,
};

/** Ten forms, so that each page of twenty shows each of them twice; the first three differ most. */
export const shapes: readonly Shape[] = [
  { without: [], token: tokenOf('CreditCard', 'Active', true), creditCard: cardFields },
  { without: ['name', 'email', 'phone', 'default_payment_method'] },
  {
    without: ['email'],
    token: tokenOf('CreditCard', 'Failed', false, declined),
    creditCard: ['number', 'brand'],
  },
  {
    without: ['phone'],
    token: tokenOf('CreditCard', 'Active', true),
    creditCard: [...expiry, 'holder_name', 'billing_currency'],
  },
  {
    without: ['default_payment_method'],
    token: tokenOf('CreditCard', 'Pending', false),
    creditCard: ['number', ...expiry],
  },
  { without: ['name'], token: tokenOf('WechatPayAutoDebit', 'Active', true) },
  { without: ['name', 'phone'], token: tokenOf('AlipayAutoDebit', 'Active', false) },
  { without: [] },
  { without: ['email', 'phone'], token: tokenOf('CreditCard', 'Active', true), creditCard: [] },
  { without: [], token: tokenOf('AlipayAutoDebit', 'Failed', false, unsigned) },
];

const givenNames =
  'Amara Björn Chloé Dmitri Esra Farid Grace Hana Ivo José Keiko Lindiwe Mateo Nadia Omar'.split(' ');
const familyNames =
  'Abara Brand Costa Dunmore Eskola Galván Hollins Jansone Kestrel Müller Nakagawa O’Dell Perrin'.split(' ');
const brands = ['Visa', 'Mastercard', 'American Express', 'UnionPay'];
const currencies = ['USD', 'EUR', 'HKD'];

/** Blocks that numbering authorities keep for fiction, so that no number can ring at a real person. */
const phones = [
  { dial_code: '+1', block: '20255501' },
  { dial_code: '+44', block: '77009000' },
  { dial_code: '+353', block: '2091000' },
];

const cycle = <T>(values: readonly T[], n: number): T => values[n % values.length] as T;

/**
 * What a customer is linked to. Shapes repeat every ten: moving the links on by one each ten brings every shape onto
 * both first pages.
 */
export const linksOf = (index: number): readonly Source[] =>
  cycle<readonly Source[]>([['User'], ['Store'], ['User', 'Store']], index + Math.floor(index / 10));

function person(index: number) {
  const name = `${cycle(givenNames, index)} ${cycle(familyNames, index)}`;
  const plain = name.normalize('NFD').replace(/[^A-Za-z ]/g, '');
  return {
    name,
    email: `${plain.toLowerCase().replace(' ', '.')}@example.com`,
    holder: name.toUpperCase(),
  };
}

/** Names repeat after so many customers, and are made once. */
const people = Array.from({ length: givenNames.length * familyNames.length }, (_, index) => person(index));

/** Contract 2.6, reduced to the requested fields. */
function creditCard(index: number, holder: string, fields: readonly (keyof CreditCard)[]): CreditCard {
  const whole: Required<CreditCard> = {
    number: `424242******${1000 + (index % 9000)}`,
    exp_month: String((index % 12) + 1).padStart(2, '0'),
    exp_year: String(2027 + (index % 5)),
    holder_name: holder,
    brand: cycle(brands, index),
    billing_currency: cycle(currencies, index),
  };
  const card: CreditCard = {};
  for (const field of fields) card[field] = whole[field];
  return card;
}

/** Contract 2.4: one of a million is as fast to make as to write as JSON, and a deleted field would slow both. */
export function composeCustomer(index: number, shape: Shape, identity: Identity): Customer {
  const { without, token } = shape;
  const { name, email, holder } = cycle(people, index);
  const { dial_code, block } = cycle(phones, index);
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
    const credit_card = shape.creditCard && creditCard(index, holder, shape.creditCard);
    customer.default_payment_token = { ...token, token: identity.token, ...(credit_card && { credit_card }) };
  }
  return customer;
}

/** The identifiers of a customer of the seed. */
export const seededIdentity = (index: number): Identity => ({
  uuid: uuid('customer', index + 1),
  reference_number: `CUST-${String(index + 1).padStart(6, '0')}`,
  token: `tok_${uuid('token', index + 1).replaceAll('-', '')}`,
});

/** A customer of the seed, or one that would follow them. */
export const seededCustomer = (index: number): SeededCustomer => ({
  linkedTo: linksOf(index),
  customer: composeCustomer(index, cycle(shapes, index), seededIdentity(index)),
});

/** Seventy-five customers: more than three pages of twenty, fifty of them linked to either kind of source. */
export const customers: readonly SeededCustomer[] = Array.from({ length: 75 }, (_, index) =>
  seededCustomer(index),
);
