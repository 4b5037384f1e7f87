import { setFlagsFromString } from 'node:v8';
import { exchangesOf } from '../ask/session.ts';
import { removeJournals } from './journal.ts';
import { Progress } from './progress.ts';
import type { SweepResult } from './summary.ts';
import type { SweepContext } from './sweep.ts';
import { type IdentifierFile, sweepIdentifiers } from './sweep-identifiers.ts';
import { ListSweep } from './sweep-list.ts';

/** What a sweep is given by the run that it is part of. */
type Given = Omit<SweepContext, 'progress'> & Partial<Pick<SweepContext, 'progress'>>;

/** Looks at what is too many for the ordinary requests: files of identifiers, and the lists that exchanges files declare. */
export async function sweepEverything(given: Given): Promise<SweepResult[]> {
  const { target } = given;
  // Else V8 lets what is no longer needed grow to several times what is.
  setFlagsFromString('--heap-growing-percent=50');
  const progress = new Progress((text) => void process.stdout.write(text));
  const context: SweepContext = { progress, ...given };
  if (!target.resume) removeJournals(target.reportsDir);
  const end = () => context.progress.end();
  process.once('SIGINT', end);
  try {
    return await sweepAll(context);
  } finally {
    process.off('SIGINT', end);
  }
}

async function sweepAll(context: SweepContext): Promise<SweepResult[]> {
  const { contract, target } = context;
  const swept: SweepResult[] = [];
  for (const file of await identifierFiles(context)) swept.push(await sweepIdentifiers(context, file));
  for (const operation of contract.operations) {
    const { sweptList } = await exchangesOf(operation);
    if (sweptList && target.sweep !== 'off')
      swept.push(await new ListSweep(context, operation, sweptList).run());
  }
  return swept;
}

/** The files of identifiers that are configured, each with the operation that they are for. */
async function identifierFiles({ contract, target }: SweepContext): Promise<IdentifierFile[]> {
  const files: IdentifierFile[] = [];
  for (const operation of contract.operations) {
    const { byIdentifier = {} } = await exchangesOf(operation);
    for (const parameter of operation.parameters) {
      const variable = parameter['x-identifiers'] ?? '';
      const file = target.identifierFiles[variable];
      if (file) files.push({ operation, parameter, variable, file, byIdentifier });
    }
  }
  return files;
}
