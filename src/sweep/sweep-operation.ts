import { setFlagsFromString } from 'node:v8';
import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import { loadOperationRequests } from '../operations/operation-file.ts';
import type { SweepContext } from './sweep.ts';
import { sweepIdentifiers } from './sweep-identifiers.ts';
import { ListSweep } from './sweep-list.ts';

/**
 * Requests and judges the records of an operation: those in its files of identifiers (`CARD_IDS=@cards.txt`) and, if `SWEEP` is set,
 * those of the list (all, or a sample) that `sweptList` in `src/operations/ID.ts` describes. Makes V8 collect garbage earlier for the rest of the process.
 */
export async function sweepOperation(context: SweepContext, operation: Operation): Promise<void> {
  const { target } = context;
  const { byIdentifier = {}, sweptList } = await loadOperationRequests(operation);
  // By default, V8 lets garbage grow to several times the memory in use.
  setFlagsFromString('--heap-growing-percent=50');
  for (const { parameter, variable, file } of listIdentifierFiles(operation, target))
    await sweepIdentifiers(context, { operation, parameter, variable, file, byIdentifier });
  if (sweptList && target.sweep !== 'off') await new ListSweep(context, operation, sweptList).run();
}

/**
 * Lists the names of the journals of all sweeps that an operation has, such as `getCard-CARD_IDS` and `listCustomers`; empty
 * without sweeps.
 */
export async function listSweepJournals(operation: Operation, target: Target): Promise<string[]> {
  const { sweptList } = await loadOperationRequests(operation);
  const files = listIdentifierFiles(operation, target);
  const names = files.map(({ variable }) => `${operation.id}-${variable}`);
  return [...names, ...(sweptList && target.sweep !== 'off' ? [operation.id] : [])];
}

/** Lists the parameters of an operation whose identifiers are in a file (`CARD_IDS=@cards.txt`), each with variable and file. */
const listIdentifierFiles = ({ parameters }: Operation, target: Target) =>
  parameters.flatMap((parameter) => {
    const variable = parameter['x-identifiers'] ?? '';
    const file = target.identifierFiles[variable];
    return file ? [{ parameter, variable, file }] : [];
  });
