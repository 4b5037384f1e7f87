import type { Target } from '../client/target.ts';
import type { OperationContext } from './operation-file.ts';
import { configured } from './request.ts';

/** Looks up each customer of `CUSTOMER_IDS` (contract section 4.3). `listCustomers` adds lookups of listed customers. */
export default async function getCustomer({ send, target }: OperationContext): Promise<void> {
  await Promise.all(configured(target, 'CUSTOMER_IDS').map((id) => send({ id })));
}

export const maxRequests = (target: Target) => configured(target, 'CUSTOMER_IDS').length;
