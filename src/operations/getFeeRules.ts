import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { OperationContext } from './operation-file.ts';
import { type Argument, configured, documentedValues, literal } from './request.ts';

/**
 * Requests the fee rules of each documented `type` (`business`, `user`) without `user_id`, and those of each user of `USER_IDS`
 * (contract section 4.4).
 */
export default async function getFeeRules({ send, target, operation }: OperationContext): Promise<void> {
  const users = configured(target, 'USER_IDS');
  await Promise.all([
    ...listTypes(operation).map((type) => send({ type })),
    ...users.map((user_id) => send(byIdentifier.USER_IDS(user_id))),
  ]);
}

/**
 * Builds the parameters of a request for the fee rules of one user: `user_id` needs `type=user` (contract section 4.4). Keyed by
 * the variable that holds the identifiers.
 */
export const byIdentifier = {
  USER_IDS: (user_id: Argument) => ({ type: literal('user'), user_id }),
};

/** Lists the documented values of the parameter `type`: `business` and `user` (contract section 4.4). */
const listTypes = (operation: Operation) => documentedValues(operation, 'type');

/** Counts the requests of `getFeeRules`: one for each user of `USER_IDS`, and one for each documented `type`. */
export const estimateRequests = (target: Target, operation: Operation) =>
  configured(target, 'USER_IDS').length + listTypes(operation).length;
