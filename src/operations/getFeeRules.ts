import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import type { OperationContext } from './operation-file.ts';
import {
  type Argument,
  createPublicArgument,
  listConfiguredArguments,
  listDocumentedArguments,
} from './request.ts';

/** Requests the fee rules of each documented `type`, and of each user in `USER_IDS` (contract section 4.4). */
export default async function getFeeRules({ send, target, operation }: OperationContext): Promise<void> {
  const users = listConfiguredArguments(target, 'USER_IDS');
  await Promise.all([
    // `type=user` without `user_id` must be rejected.
    ...listTypeArguments(operation).map((type) => send({ type })),
    ...users.map((userId) => send(argumentBuilders.USER_IDS(userId))),
  ]);
}

/** Builds `type=user&user_id=…` for an identifier of `USER_IDS` (contract section 4.4). */
export const argumentBuilders = {
  USER_IDS: (userId: Argument) => ({ type: createPublicArgument('user'), user_id: userId }),
};

const listTypeArguments = (operation: Operation) => listDocumentedArguments(operation, 'type');

export const estimateRequests = (target: Target, operation: Operation) =>
  listConfiguredArguments(target, 'USER_IDS').length + listTypeArguments(operation).length;
