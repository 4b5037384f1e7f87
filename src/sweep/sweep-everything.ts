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
  for (const operation of contract.operations) {
    const { byIdentifier = {} } = await exchangesOf(operation);
    for (const parameter of operation.parameters) {
      const variable = parameter['x-identifiers'] ?? '';
      const file = target.identifierFiles[variable];
      if (file) await sweepIdentifiers(context, { operation, parameter, variable, file, byIdentifier });
    }
  }
  for (const operation of contract.operations) {
    const { sweptList } = await exchangesOf(operation);
    if (sweptList && target.sweep !== 'off') await new ListSweep(context, operation, sweptList).run();
  }
}
