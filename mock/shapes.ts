import type { CreditCard, PaymentToken } from './records.ts';

type OptionalField = 'name' | 'email' | 'phone' | 'default_payment_method';

/** One form that a customer may take: what it leaves out, and its token if it has any. */
export interface Shape {
  without: readonly OptionalField[];
  /** A token (contract 2.5) without its value. */
  token?: Omit<PaymentToken, 'token' | 'credit_card'>;
  /** The fields of the credit card (contract 2.6) that the token has, if it has one. */
  creditCard?: readonly (keyof CreditCard)[];
}

const declined = { error_code: 'card_declined', error_msg: 'The issuer refused to bind this card.' };

const cardFields = [
  'number',
  'exp_month',
  'exp_year',
  'holder_name',
  'brand',
  'billing_currency',
] as const satisfies (keyof CreditCard)[];

/** Every field that there is (contract 2.4 to 2.6), which none of the usual forms has. */
export const wholeShape: Shape = {
  without: [],
  token: { token_type: 'CreditCard', state: 'Failed', default: false, ...declined },
  creditCard: cardFields,
};

/** Ten forms, so that each page of twenty shows each of them twice; the first three differ most. */
export const shapes: readonly Shape[] = [
  {
    without: [],
    token: { token_type: 'CreditCard', state: 'Active', default: true },
    creditCard: cardFields,
  },
  { without: ['name', 'email', 'phone', 'default_payment_method'] },
  {
    without: ['email'],
    token: {
      token_type: 'CreditCard',
      state: 'Failed',
      default: false,
      ...declined,
    },
    creditCard: ['number', 'brand'],
  },
  {
    without: ['phone'],
    token: {
      token_type: 'CreditCard',
      state: 'Active',
      default: true,
    },
    creditCard: ['exp_month', 'exp_year', 'holder_name', 'billing_currency'],
  },
  {
    without: ['default_payment_method'],
    token: { token_type: 'CreditCard', state: 'Pending', default: false },
    creditCard: ['number', 'exp_month', 'exp_year'],
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
    token: {
      token_type: 'AlipayAutoDebit',
      state: 'Failed',
      default: false,
      error_code: 'agreement_not_signed',
    },
  },
];
