import { type CreditCard, type Customer, type PaymentToken, type Source, uuid } from './records.ts';
import { type Shape, shapes } from './shapes.ts';

/** A customer, and what it is linked to: the server filters by the link but never returns it (contract 4.2). */
export interface SeededCustomer {
  linkedTo: readonly Source[];
  customer: Customer;
}

/** What no two customers share. */
export interface Identity {
  uuid: string;
  reference_number: string;
  token: string;
}

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
export function linksOf(index: number): readonly Source[] {
  return cycle<readonly Source[]>([['User'], ['Store'], ['User', 'Store']], index + Math.floor(index / 10));
}

interface Person {
  name: string;
  email: string;
  holder: string;
}

function person(index: number): Person {
  const name = `${cycle(givenNames, index)} ${cycle(familyNames, index)}`;
  const plain = name
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .toLowerCase();
  return { name, email: `${plain.replace(' ', '.')}@example.com`, holder: name.toUpperCase() };
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

/** Contract 2.5. */
function paymentToken(index: number, holder: string, shape: Shape, value: string): PaymentToken {
  const token = { ...shape.token, token: value } as PaymentToken;
  if (shape.creditCard) token.credit_card = creditCard(index, holder, shape.creditCard);
  return token;
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
  if (token) customer.default_payment_token = paymentToken(index, holder, shape, identity.token);
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
