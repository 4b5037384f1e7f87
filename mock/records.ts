import { createHash } from 'node:crypto';

// Records of the contract (sections 2.2 to 2.7), and how their identifiers are made.

/** Values of the query parameter `linked_source_type` (contract 4.2). */
export const sources = ['User', 'Store'] as const;
export type Source = (typeof sources)[number];

export interface CardLimit {
  id?: string;
  period: 'Lifetime' | 'Transaction' | 'Monthly' | 'Daily';
  limit_amount: string;
  used_amount: string;
  status?: 'Active' | 'Inactive';
}

export interface Card {
  id: string;
  title: string;
  type: string;
  status: string;
  settlement_currency: string;
  first_6_digits: string;
  last_4_digits: string;
  reference_id: string;
  p_created_at: string;
  expiration_date: string;
  limits: CardLimit[];
  physical_status: string;
}

export interface CreditCard {
  number?: string;
  exp_month?: string;
  exp_year?: string;
  holder_name?: string;
  brand?: string;
  billing_currency?: string;
}

export interface PaymentToken {
  token_type: 'CreditCard' | 'WechatPayAutoDebit' | 'AlipayAutoDebit';
  token: string;
  state: string;
  default: boolean;
  error_code?: string;
  error_msg?: string;
  credit_card?: CreditCard;
}

export interface Customer {
  name?: string;
  email?: string;
  dial_code: string;
  phone?: string;
  reference_number: string;
  default_payment_method?: string;
  uuid: string;
  default_payment_token?: PaymentToken;
}

export interface FeeRule {
  fixed_fee: string;
  percentage_fee: string;
  user_id?: string;
  business_id?: string;
}

/** Creates a fee rule (contract 2.7). By default, both fees are `0.00`. */
export const createFeeRule = <T extends object>(fields: T) => ({
  fixed_fee: '0.00',
  percentage_fee: '0.00',
  ...fields,
});

/** Derives a UUID from a hash of the arguments. In every run, `uuid('customer', 1)` returns the same UUID. */
export function uuid(kind: string, ordinal: number): string {
  const hex = createHash('sha256').update(`${kind} ${ordinal}`).digest('hex');
  // The digits `5` and `a` are the version (made from a hash) and the variant of RFC 9562.
  const thirdPart = `5${hex.slice(13, 16)}`;
  const fourthPart = `a${hex.slice(17, 20)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${thirdPart}-${fourthPart}-${hex.slice(20, 32)}`;
}
