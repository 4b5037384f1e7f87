import { exchangesOf } from '../exchanges/files.ts';
import { type SweepContext, sweepDir } from './context.ts';
import { removeJournals } from './journal.ts';
import { type Swept, sweepList } from './sweep-list.ts';

/** Looks at what is too many for the ordinary requests: the lists that exchanges files declare. */
export async function sweepEverything(context: SweepContext): Promise<Swept[]> {
  const { contract, target } = context;
  if (!target.resume) removeJournals(sweepDir(target));
  const swept: Swept[] = [];
  for (const operation of contract.operations) {
    const { sweptList } = await exchangesOf(operation);
    if (sweptList && target.sweep !== 'off') swept.push(await sweepList(context, operation, sweptList));
  }
  return swept;
}
