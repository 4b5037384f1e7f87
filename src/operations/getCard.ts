import type { Target } from '../client/target.ts';
import type { OperationContext } from './operation-file.ts';
import { listConfiguredArguments } from './request.ts';

/** Looks up each card of `CARD_IDS` (contract section 4.1). */
export default async function getCard({ send, target }: OperationContext): Promise<void> {
  await Promise.all(listConfiguredArguments(target, 'CARD_IDS').map((id) => send({ id })));
}

export const estimateRequests = (target: Target) => listConfiguredArguments(target, 'CARD_IDS').length;
