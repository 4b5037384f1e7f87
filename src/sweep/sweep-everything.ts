import { setFlagsFromString } from 'node:v8';
import { exchangesOf } from '../ask/session.ts';
import { removeJournals } from './journal.ts';
import type { SweepContext } from './sweep.ts';
import { sweepIdentifiers } from './sweep-identifiers.ts';
import { ListSweep } from './sweep-list.ts';

/** Looks at what is too many for the ordinary requests: files of identifiers, and the lists that exchanges files declare. */
export async function sweepEverything(context: SweepContext): Promise<void> {
  const { contract, target } = context;
  // Else V8 lets what is no longer needed grow to several times what is.
  setFlagsFromString('--heap-growing-percent=50');
  if (!target.resume) removeJournals(target.reportsDir);
  await sweepIdentifierFiles(context);
  for (const operation of contract.operations) {
    const { sweptList } = await exchangesOf(operation);
    if (sweptList && target.sweep !== 'off') await new ListSweep(context, operation, sweptList).run();
  }
}

/** The files of identifiers that are configured, each with the operation that they are for. */
async function sweepIdentifierFiles(context: SweepContext): Promise<void> {
  for (const operation of context.contract.operations) {
    const { byIdentifier = {} } = await exchangesOf(operation);
    for (const parameter of operation.parameters) {
      const variable = parameter['x-identifiers'] ?? '';
      const file = context.target.identifierFiles[variable];
      const source = { operation, parameter, variable, file: file ?? '', byIdentifier };
      if (file) await sweepIdentifiers(context, source);
    }
  }
}
