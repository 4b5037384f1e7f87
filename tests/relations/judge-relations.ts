import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../configuration/target.ts';
import { Confirmation, inRounds, maxConfirmations } from './confirm.ts';
import { judgeConstant } from './constant.ts';
import type { AskAgain, RelationResult } from './doubt.ts';
import type { Lag } from './lag.ts';
import { judgeListed } from './listed.ts';
import type { Longer } from './pages-again.ts';
import { relationsOf } from './relation-rules.ts';
import type { RunSightings } from './sightings-of-run.ts';
import { twinResult } from './twins.ts';
import { conflictDoubt } from './unique.ts';

/** The greatest number of requests that are sent again. */
export function maxAskedAgain(
  contract: Pick<Contract, 'operations'>,
  { identifiers }: Pick<Target, 'identifiers'>,
): number {
  const { unique, listed, constant } = relationsOf(contract);
  const records = constant.flatMap(({ operation, check }) => {
    const parameter = operation.parameters.find(({ name }) => name === check.parameter);
    return identifiers[parameter?.['x-identifiers'] ?? ''] ?? [];
  });
  const relations = unique.length + listed.length + constant.length;
  return records.length + (relations > 0 ? maxConfirmations : 0);
}

/**
 * Judges all rules between the responses of a run; a contradiction of two only after both sides were asked again.
 * @param longer the request for a longer page at the place of a page
 */
export async function judgeRelations<Source>(
  sightings: RunSightings<Source>,
  ask: AskAgain<Source>,
  isConfigured: (source: Source) => boolean,
  lag: Pick<Lag, 'pass' | 'exclude'>,
  longer: Longer<Source> = () => undefined,
): Promise<RelationResult<Source>[]> {
  const results = [...keptUnique(sightings), ...twinResults(sightings)];
  const doubts = [
    ...sightings.conflicts.map((conflict) => conflictDoubt(sightings.relations, conflict, longer)),
    ...judgeListed(sightings, results, isConfigured, longer),
    ...(await judgeConstant(sightings, ask, isConfigured, results)),
  ];
  const broken = results.filter(({ conclusion }) => conclusion === 'broken').map(({ rule }) => rule);
  const confirmation = new Confirmation(inRounds(doubts), ask, new Set(broken), lag);
  return [...results, ...(await confirmation.results())];
}

const twinResults = <Source>({ twins }: RunSightings<Source>): RelationResult<Source>[] =>
  twins.map(({ rule, source, twins }) => twinResult(rule, source, twins));

const keptUnique = <Source>({ compared }: RunSightings<Source>): RelationResult<Source>[] =>
  [...compared].flatMap(([second, counts]) =>
    [...counts].map(([rule, count]) => ({ rule, second, conclusion: 'kept' as const, count })),
  );
