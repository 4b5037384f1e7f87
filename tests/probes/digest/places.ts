import type { Contract, Schema } from '../../../schemas/contract/contract.ts';
import { schemaAt } from '../../../schemas/judge/violations.ts';
import { message, type Place, type TalliedValues } from './tallied-values.ts';

/** What the contract says of a place. */
export function schemaOf({ operations }: Contract, [id, pointer]: Place): Schema | undefined {
  const operation = operations.find((one) => one.id === id);
  return operation && schemaAt(operation, pointer);
}

/** What the questions tally that are about every operation. */
export const commonTallied = ({ operations }: Contract): Record<string, TalliedValues> => ({
  'success-message': {
    places: operations.map(({ id }) => [id, '/message']),
    describe: message,
  },
});
