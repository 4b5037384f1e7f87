import type { Target } from '../client/target.ts';
import type { OperationContext } from './operation-file.ts';
import { configured } from './request.ts';

/** Looks up each card of `CARD_IDS` (contract section 4.1). */
export default async function getCard({ send, target }: OperationContext): Promise<void> {
  await Promise.all(configured(target, 'CARD_IDS').map((id) => send({ id })));
}

/** Counts the requests of `getCard`: one for each card. */
export const estimateRequests = (target: Target) => configured(target, 'CARD_IDS').length;
