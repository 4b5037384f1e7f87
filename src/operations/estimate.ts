import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import { hasConstantRule, listApiCheckOperations, loadOperationRequests } from './operation-file.ts';

/**
 * Estimates how many requests a run of the selected operations sends to a conforming target. Requests of probes and sweeps are not
 * included.
 */
export async function estimateRequests(
  contract: Contract,
  target: Target,
  selected: Operation[],
): Promise<number> {
  let requestCount = 0;
  for (const operation of selected) {
    const file = await loadOperationRequests(operation);
    requestCount += file.estimateRequests(target, operation) + countRepeatedLookups(operation, target);
  }
  const [checkedOperation] = listApiCheckOperations(contract);
  // If the operation is selected, its estimate includes the request of the check.
  const isCheckExtra = checkedOperation !== undefined && !selected.includes(checkedOperation);
  return isCheckExtra ? requestCount + 1 : requestCount;
}

function countRepeatedLookups(operation: Operation, { identifiers }: Target): number {
  if (!hasConstantRule(operation)) return 0;
  let lookupCount = 0;
  for (const { 'x-identifiers': variable } of operation.parameters)
    if (variable) lookupCount += identifiers[variable]?.length ?? 0;
  return lookupCount;
}
