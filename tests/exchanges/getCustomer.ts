import type { Target } from '../client/target.ts';
import { identifiersOf } from './request.ts';
import type { Session } from './session.ts';

/** Looks up each customer of `CUSTOMER_IDS` (contract 4.3); `listCustomers` adds some that it lists. */
export default async function getCustomer({ ask, target }: Session): Promise<void> {
  await Promise.all(identifiersOf(target, 'CUSTOMER_IDS').map((id) => ask({ id })));
}

export const maxRequests = (target: Target) => identifiersOf(target, 'CUSTOMER_IDS').length;
