import type { Target } from '../client/target.ts';
import { configured } from './request.ts';
import type { Session } from './session.ts';

/** Looks up each card of `CARD_IDS` (contract 4.1). */
export default async function getCard({ ask, target }: Session): Promise<void> {
  await Promise.all(configured(target, 'CARD_IDS').map((id) => ask({ id })));
}

export const maxRequests = (target: Target) => configured(target, 'CARD_IDS').length;
