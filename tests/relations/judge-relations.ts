import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../configuration/target.ts';
import { judgeConstant } from './constant.ts';
import type { AskAgain, Doubt, RelationResult } from './doubt.ts';
import { judgeListed } from './listed.ts';
import { type RelationRule, relationsOf } from './relation-rules.ts';
import type { RunSightings } from './sightings-of-run.ts';
import { twinResult } from './twins.ts';
import { noRequestsLeft } from './unconfirmed.ts';
import { conflictDoubt } from './unique.ts';

/** Requests that are sent to confirm contradictions, at most. */
export const maxConfirmations = 8;

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

const notAsked = { undecided: noRequestsLeft };
const alreadyBroken = { undecided: 'another contradiction of the same rule was confirmed' };

/** Judges all rules between the responses of a run; a contradiction only after both sides were asked again. */
export async function judgeRelations<Source>(
  sightings: RunSightings<Source>,
  ask: AskAgain<Source>,
  isConfigured: (source: Source) => boolean,
): Promise<RelationResult<Source>[]> {
  const results = [...keptUnique(sightings), ...twinResults(sightings)];
  const doubts = [
    ...sightings.conflicts.map((conflict) => conflictDoubt(sightings, conflict)),
    ...judgeListed(sightings, results, isConfigured),
    ...(await judgeConstant(sightings, ask, isConfigured, results)),
  ];
  const broken = results.filter(({ conclusion }) => conclusion === 'broken').map(({ rule }) => rule);
  return [...results, ...(await confirmed(inRounds(doubts), ask, new Set(broken)))];
}

/** Confirms one contradiction of each rule, and tries more where one is not confirmed, as far as requests go. */
async function confirmed<Source>(
  doubts: Doubt<Source>[],
  ask: AskAgain<Source>,
  broken: Set<RelationRule>,
): Promise<RelationResult<Source>[]> {
  let left = maxConfirmations;
  const results: RelationResult<Source>[] = [];
  for (const { rule, second, cost, confirm } of doubts) {
    const isAsked = cost <= left && !broken.has(rule);
    if (isAsked) left -= cost;
    const conclusion = broken.has(rule) ? alreadyBroken : notAsked;
    const result = isAsked ? await confirm(ask) : { rule, second, conclusion, count: 1 };
    if (result.conclusion === 'broken') broken.add(rule);
    results.push(result);
  }
  return results;
}

/** The first doubt of each rule, then the second of each, and so on. */
function inRounds<Source>(doubts: Doubt<Source>[]): Doubt<Source>[] {
  const counts = new Map<RelationRule, number>();
  const rounds: Doubt<Source>[][] = [];
  for (const doubt of doubts) {
    const round = counts.get(doubt.rule) ?? 0;
    counts.set(doubt.rule, round + 1);
    rounds[round] = [...(rounds[round] ?? []), doubt];
  }
  return rounds.flat();
}

const twinResults = <Source>({ twins }: RunSightings<Source>): RelationResult<Source>[] =>
  twins.map(({ rule, source, twins }) => twinResult(rule, source, twins));

const keptUnique = <Source>({ compared }: RunSightings<Source>): RelationResult<Source>[] =>
  [...compared].flatMap(([second, counts]) =>
    [...counts].map(([rule, count]) => ({ rule, second, conclusion: 'kept' as const, count })),
  );
