import { type CreditCard, type Customer, type PaymentToken, type Source, uuid } from './records.ts';
import { shapes, type TokenWords } from './shapes.ts';

/** A customer, and what it is linked to: the server filters by the link but never tells it (contract 4.2). */
export interface SeededCustomer {
  linkedTo: readonly Source[];
  customer: Customer;
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

/** Shapes repeat every ten: moving the links on by one each ten brings every shape onto both first pages. */
function links(index: number): readonly Source[] {
  return cycle<readonly Source[]>([['User'], ['Store'], ['User', 'Store']], index + Math.floor(index / 10));
}

function emailOf(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .toLowerCase();
  return `${plain.replace(' ', '.')}@example.com`;
}

/** Contract 2.6, reduced to the fields that are asked for. */
function creditCard(index: number, name: string, fields: readonly (keyof CreditCard)[]): CreditCard {
  const whole: Required<CreditCard> = {
    number: `424242******${1000 + index}`,
    exp_month: String((index % 12) + 1).padStart(2, '0'),
    exp_year: String(2027 + (index % 5)),
    holder_name: name.toUpperCase(),
    brand: cycle(brands, index),
    billing_currency: cycle(currencies, index),
  };
  return Object.fromEntries(fields.map((field) => [field, whole[field]]));
}

/** Contract 2.5. */
function paymentToken(index: number, name: string, { credit_card, ...words }: TokenWords): PaymentToken {
  const token = { ...words, token: `tok_${uuid('token', index + 1).replaceAll('-', '')}` };
  return credit_card ? { ...token, credit_card: creditCard(index, name, credit_card) } : token;
}

/** Contract 2.4. */
function customer(index: number): Customer {
  const shape = cycle(shapes, index);
  const phone = cycle(phones, index);
  const name = `${cycle(givenNames, index)} ${cycle(familyNames, index)}`;
  const whole: Customer = {
    name,
    email: emailOf(name),
    dial_code: phone.dial_code,
    phone: `${phone.block}${String(index).padStart(2, '0')}`,
    reference_number: `CUST-${String(index + 1).padStart(6, '0')}`,
    default_payment_method: shape.token?.token_type ?? 'BankTransfer',
    uuid: uuid('customer', index + 1),
  };
  for (const field of shape.without) delete whole[field];
  return shape.token ? { ...whole, default_payment_token: paymentToken(index, name, shape.token) } : whole;
}

/** Seventy-five customers: more than three pages of twenty, fifty of them linked to either kind of source. */
export const customers: readonly SeededCustomer[] = Array.from({ length: 75 }, (_, index) => ({
  linkedTo: links(index),
  customer: customer(index),
}));
