import type { Contract, Operation } from '../../../schemas/contract/contract.ts';
import { ownValue } from '../../../schemas/own-value.ts';
import { foundInShell } from '../../client/curl.ts';
import { askAgainWith } from '../../exchanges/ask-again.ts';
import { Recorder, type RecorderContext } from '../../exchanges/recorder.ts';
import { type Arguments, valuesOf } from '../../exchanges/request.ts';
import type { Source } from '../../exchanges/seen-response.ts';
import type { Lookup, SweptList } from '../../exchanges/session.ts';
import type { Observation } from '../../redaction/observation.ts';
import { applyRelations } from '../../relations/apply-relations.ts';
import { judgeRelations } from '../../relations/judge-relations.ts';
import type { Lag } from '../../relations/lag.ts';
import { relationsOf } from '../../relations/relation-rules.ts';
import { RunSightings } from '../../relations/sightings-of-run.ts';
import type { SweepContext } from '../context.ts';
import { holding } from './page-judge.ts';

/** A record of a page, and its place on it and in the list, from 0. */
export interface ListedRecord {
  index: number;
  place: number;
  record: unknown;
}

/** A page that lists records. */
export interface ListedOn {
  operation: Operation;
  list: SweptList;
  parameters: Arguments;
  observation: Observation;
  /** Whether records of pages before were found by their lookups. */
  hasFound: boolean;
  /** Of the list: what was waited for on pages before. */
  lag: Lag;
}

/**
 * Looks up records that a page lists, judges the responses like any other, and holds them against the page, as the rules between
 * answers say.
 */
export async function lookUp(
  context: SweepContext,
  page: ListedOn,
  listed: ListedRecord[],
): Promise<Observation[]> {
  const { contract, client, entries, curl, disclosure } = context;
  const sightings = sightingsOn(contract, page, listed);
  const own: RecorderContext = { client, entries, curl, onResponse: (seen) => sightings.add(seen) };
  const recorders = new Map(contract.operations.map((one) => [one.id, new Recorder(one, own)]));
  const lookups = listed.flatMap((one) => lookupOf(page, one) ?? []);
  await Promise.all(lookups.map(({ operation, parameters }) => recorders.get(operation)?.ask(parameters)));
  const results = await judgeRelations(sightings, askAgainWith(recorders), () => false, page.lag);
  // That records of the list are not the same is judged over all pages.
  const ofLookups = results.filter(({ rule }) => rule.operation.id !== page.operation.id);
  const related = applyRelations(ofLookups, entries, page.hasFound);
  const observations = [...recorders.values()].flatMap((recorder) => recorder.observations([], related));
  return observations.map(disclosure.settleUnlearned);
}

/** What a page shows of the records that are looked up. */
function sightingsOn(contract: Contract, page: ListedOn, listed: ListedRecord[]): RunSightings<Source> {
  const { operation, list, parameters, observation } = page;
  const sightings = new RunSightings<Source>(relationsOf(contract));
  const records = listed.map(({ record }) => record);
  const source = { arguments: parameters, observation };
  const body = holding(list.pointer, records);
  sightings.add({ operation, parameters: valuesOf(parameters), outcome: 'success', body, source });
  return sightings;
}

/** The lookup of a record, where its identity is a text that a URL can carry. */
function lookupOf(
  { list, observation }: ListedOn,
  { index, place, record }: ListedRecord,
): Lookup | undefined {
  const identity = ownValue(record, list.key);
  if (typeof identity !== 'string') return undefined;
  const shell = foundInShell(observation.repeat, `${list.pointer}/${index}/${list.key}`);
  return list.lookup(identity, `{${list.key} of number ${place + 1} of the ${list.noun}}`, shell);
}
