import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import { type Argument, configured, documentedValues, literal } from './request.ts';
import type { Session } from './session.ts';

/** Asks for the rules of each type, where no user is named, and for those of each user of `USER_IDS` (contract 4.4). */
export default async function getFeeRules({ ask, target, operation }: Session): Promise<void> {
  const users = configured(target, 'USER_IDS');
  await Promise.all([
    ...types(operation).map((type) => ask({ type })),
    ...users.map((user_id) => ask(byIdentifier.USER_IDS(user_id))),
  ]);
}

/** A user is looked up with a type beside it. */
export const byIdentifier = {
  USER_IDS: (user_id: Argument) => ({ type: literal('user'), user_id }),
};

const types = (operation: Operation) => documentedValues(operation, 'type');

export const maxRequests = (target: Target, operation: Operation) =>
  configured(target, 'USER_IDS').length + types(operation).length;
