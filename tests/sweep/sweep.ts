import { curlOf } from '../client/curl.ts';
import { exchangesOf } from '../exchanges/files.ts';
import { patience, printsFor, type SweepContext } from './context.ts';
import type { IdentifierFile } from './identifiers/judge-identifier.ts';
import { removeJournals } from './journal/journal.ts';
import { Progress } from './progress/progress.ts';
import type { Swept } from './results/result.ts';
import { sweepIdentifiers } from './sweep-identifiers.ts';
import { sweepList } from './sweep-list.ts';

/** What a sweep is given by the run that it is part of. */
type Given = Omit<SweepContext, 'curl' | 'printOf' | 'progress' | 'patience'> &
  Partial<Pick<SweepContext, 'patience' | 'progress'>>;

/** Looks at what is too many for the ordinary requests: the lists that exchanges files declare. */
export async function sweepEverything(given: Given): Promise<Swept[]> {
  const { contract, target } = given;
  const progress = new Progress((text) => void process.stdout.write(text), process.stdout.isTTY);
  const own = { curl: curlOf(target), printOf: printsFor(contract, target), progress, patience };
  const context: SweepContext = { ...own, ...given };
  if (!target.resume) removeJournals(target.reportsDir);
  const swept: Swept[] = [];
  for (const file of await identifierFiles(context)) swept.push(await sweepIdentifiers(context, file));
  for (const operation of contract.operations) {
    const { sweptList } = await exchangesOf(operation);
    if (sweptList && target.sweep !== 'off') swept.push(await sweepList(context, operation, sweptList));
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
