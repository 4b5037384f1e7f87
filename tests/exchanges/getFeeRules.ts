import type { Target } from '../client/target.ts';
import { configured, literal, type Session } from './session.ts';

/** Asks for the rules of the business, of each user of `USER_IDS`, and of a user who is not named (contract 4.4). */
export default async function getFeeRules({ ask, target }: Session): Promise<void> {
  const users = configured('USER_IDS', target.userIds);
  await Promise.all([
    ask('getFeeRules', { type: literal('business') }),
    ask('getFeeRules', { type: literal('user') }),
    ...users.map((user_id) => ask('getFeeRules', { type: literal('user'), user_id })),
  ]);
}

export const most = ({ userIds }: Target) => userIds.length + 2;
