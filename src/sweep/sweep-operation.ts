import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';
import { loadOperationRequests } from '../operations/operation-file.ts';
import type { SweepContext } from './sweep.ts';

export async function sweepOperation(context: SweepContext, operation: Operation): Promise<void> {
  const { target } = context;
  const { argumentBuilders = {}, sweptList } = await loadOperationRequests(operation);
  // Imported here, because most runs have no sweep.
  const { sweepIdentifiers } = await import('./sweep-identifiers.ts');
  for (const { parameter, variable, file } of listIdentifierFiles(operation, target))
    await sweepIdentifiers(context, { operation, parameter, variable, file, argumentBuilders });
  if (!sweptList || target.sweep === 'off') return;
  const { ListSweep } = await import('./sweep-list.ts');
  await new ListSweep(context, operation, sweptList).run();
}

/**
 * Lists the names of the journals of an operation's sweeps. The journal for a list has the name of the operation, such as
 * `listCustomers`. The journal for the file in `CARD_IDS=@cards.txt` has the name `getCard-CARD_IDS`.
 */
export async function listSweepJournals(operation: Operation, target: Target): Promise<string[]> {
  const { sweptList } = await loadOperationRequests(operation);
  const files = listIdentifierFiles(operation, target);
  const journals = files.map(({ variable }) => `${operation.id}-${variable}`);
  if (sweptList && target.sweep !== 'off') journals.push(operation.id);
  return journals;
}

function listIdentifierFiles({ parameters }: Operation, target: Target) {
  const files: { parameter: Parameter; variable: string; file: string }[] = [];
  for (const parameter of parameters) {
    const variable = parameter['x-identifiers'] ?? '';
    const file = target.identifierFiles[variable];
    if (file) files.push({ parameter, variable, file });
  }
  return files;
}
