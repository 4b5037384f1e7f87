import type { Target } from '../client/target.ts';
import { configured } from './request.ts';
import type { Session } from './session.ts';

/** Looks up each customer of `CUSTOMER_IDS` (contract 4.3); `listCustomers` adds some that it lists. */
export default async function getCustomer({ ask, target }: Session): Promise<void> {
  await Promise.all(configured(target, 'CUSTOMER_IDS').map((id) => ask({ id })));
}

export const maxRequests = (target: Target) => configured(target, 'CUSTOMER_IDS').length;
