import type { Target } from '../client/target.ts';
import type { OperationContext } from './operation-file.ts';
import { configured } from './request.ts';

/**
 * Looks up each customer of `CUSTOMER_IDS` (contract section 4.3). `listCustomers` adds lookups of customers that the list shows.
 */
export default async function getCustomer({ send, target }: OperationContext): Promise<void> {
  await Promise.all(configured(target, 'CUSTOMER_IDS').map((id) => send({ id })));
}

/**
 * Estimated number of record shapes in the list of customers: sets of fields and their types. For each shape, one listed customer
 * is looked up.
 */
const usualShapeCount = 10;

/** Estimates the number of requests: one for each configured customer, and one for each shape of a listed customer. */
export const estimateRequests = (target: Target) =>
  configured(target, 'CUSTOMER_IDS').length + usualShapeCount;
