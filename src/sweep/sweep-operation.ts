import { setFlagsFromString } from 'node:v8';
import type { Operation } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import { loadOperationRequests } from '../operations/operation-file.ts';
import type { SweepContext } from './sweep.ts';
import { sweepIdentifiers } from './sweep-identifiers.ts';
import { ListSweep } from './sweep-list.ts';

/** Sweeps what is too much for the ordinary requests of an operation: files of its identifiers, and the list that its file declares. */
export async function sweepOperation(context: SweepContext, operation: Operation): Promise<void> {
  const { target } = context;
  const { byIdentifier = {}, sweptList } = await loadOperationRequests(operation);
  // Otherwise V8 lets garbage grow to several times what is in use.
  setFlagsFromString('--heap-growing-percent=50');
  for (const { parameter, variable, file } of identifierFiles(operation, target))
    await sweepIdentifiers(context, { operation, parameter, variable, file, byIdentifier });
  if (sweptList && target.sweep !== 'off') await new ListSweep(context, operation, sweptList).run();
}

/** Names of the journals of an operation's sweeps; none if nothing of it is swept. */
export async function sweepJournals(operation: Operation, target: Target): Promise<string[]> {
  const { sweptList } = await loadOperationRequests(operation);
  const ofFiles = identifierFiles(operation, target).map(({ variable }) => `${operation.id}-${variable}`);
  return [...ofFiles, ...(sweptList && target.sweep !== 'off' ? [operation.id] : [])];
}

const identifierFiles = ({ parameters }: Operation, target: Target) =>
  parameters.flatMap((parameter) => {
    const variable = parameter['x-identifiers'] ?? '';
    const file = target.identifierFiles[variable];
    return file ? [{ parameter, variable, file }] : [];
  });
