import type { Target } from '../client/target.ts';
import type { OperationContext } from './operation-file.ts';
import { listConfiguredArguments } from './request.ts';

/** Looks up each customer of `CUSTOMER_IDS` (contract section 4.3). */
export default async function getCustomer({ send, target }: OperationContext): Promise<void> {
  await Promise.all(listConfiguredArguments(target, 'CUSTOMER_IDS').map((id) => send({ id })));
}

const estimatedLookupsOfListCustomers = 10;

export const estimateRequests = (target: Target) =>
  listConfiguredArguments(target, 'CUSTOMER_IDS').length + estimatedLookupsOfListCustomers;
