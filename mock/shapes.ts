import type { CreditCard, PaymentToken } from './records.ts';

type OptionalField = 'name' | 'email' | 'phone' | 'default_payment_method';
/** A token (contract 2.5) without its value, and with only the names of the card fields it carries. */
export type TokenWords = Omit<PaymentToken, 'token' | 'credit_card'> & {
  credit_card?: readonly (keyof CreditCard)[];
};

/** One form that a customer may take: what it leaves out, and its token if it has any. */
export interface Shape {
  without: readonly OptionalField[];
  token?: TokenWords;
}

const declined = { error_code: 'card_declined', error_msg: 'The issuer refused to bind this card.' };

/** Ten forms, so that each page of twenty shows each of them twice; the first three are the most telling. */
export const shapes: readonly Shape[] = [
  {
    without: [],
    token: {
      token_type: 'CreditCard',
      state: 'Active',
      default: true,
      credit_card: ['number', 'exp_month', 'exp_year', 'holder_name', 'brand', 'billing_currency'],
    },
  },
  { without: ['name', 'email', 'phone', 'default_payment_method'] },
  {
    without: ['email'],
    token: {
      token_type: 'CreditCard',
      state: 'Failed',
      default: false,
      ...declined,
      credit_card: ['number', 'brand'],
    },
  },
  {
    without: ['phone'],
    token: {
      token_type: 'CreditCard',
      state: 'Active',
      default: true,
      credit_card: ['exp_month', 'exp_year', 'holder_name', 'billing_currency'],
    },
  },
  {
    without: ['default_payment_method'],
    token: { token_type: 'CreditCard', state: 'Pending', default: false },
  },
  { without: ['name'], token: { token_type: 'WechatPayAutoDebit', state: 'Active', default: true } },
  { without: ['name', 'phone'], token: { token_type: 'AlipayAutoDebit', state: 'Active', default: false } },
  { without: [] },
  {
    without: ['email', 'phone'],
    token: { token_type: 'CreditCard', state: 'Active', default: true, credit_card: [] },
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
