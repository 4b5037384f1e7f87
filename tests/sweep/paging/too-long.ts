import { number } from '../../../schemas/counted.ts';
import type { ListPlan } from './list-plan.ts';

/** Records that one machine tells apart in 400 MB. */
export const maxRecords = 10_000_000;

/** The same of a list that shows some where no list has any. */
const maxOfEndless = 100_000;

/** Why a sweep stops after so many records, though the list goes on. */
export function tooLong({ endless, sample }: ListPlan, records: number): string | undefined {
  const max = endless ? maxOfEndless : maxRecords;
  if (sample || records < max) return undefined;
  return endless
    ? `the list has no end: it shows records at any place, of which ${number(records)} were read`
    : `${number(max)} records were read, the most that one machine tells apart: divide the sweep with --shard`;
}
