import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../../tests/configuration/target.ts';
import { TrafficJudge } from '../../tests/run/judge-traffic.ts';
import { requirementsFor } from '../../tests/run/results.ts';
import { readTraffic } from '../../tests/traffic/read-traffic.ts';
import { shownName } from '../../tests/traffic/shown-source.ts';
import { expandSources } from '../../tests/traffic/sources.ts';
import type { Traffic } from '../../tests/traffic/traffic-summary.ts';
import { evaluateRequirements, type RequirementResult } from '../../tests/verdict/evaluate.ts';
import { CommandError } from '../command-error.ts';
import { UnreadSources } from '../unread-sources.ts';

/** What both contracts say of the same answers. */
export interface Replay {
  /** Answers of which one of them says something. */
  answers: number;
  /** Sentences on sources that could not be read to their end. */
  broken: string[];
  before: RequirementResult[];
  now: RequirementResult[];
}

/**
 * Judges recorded answers by two contracts, as a run with `TRAFFIC` does.
 * @param sources HAR or lines of JSON
 * @param settings those of such a run
 * @throws {CommandError} when nothing of a source can be read, or no answer of any judged.
 */
export async function replay(
  before: Contract,
  now: Contract,
  sources: string[],
  settings: Target,
): Promise<Replay> {
  const files = await expandSources(sources);
  const target = { ...settings, traffic: files };
  const [old, own] = [new TrafficJudge(before, target), new TrafficJudge(now, target)];
  const findRoute = (url: URL) => own.findRoute(url) ?? old.findRoute(url);
  const unread = new UnreadSources(files);
  let answers = 0;
  for await (const entry of readTraffic(files, { findRoute })) {
    unread.take(entry);
    const judged = [old.take(entry), own.take(entry)];
    if (judged.includes(true)) answers += 1;
  }
  assertRead(unread);
  const [first, second] = [resultsOf(old, before, target), resultsOf(own, now, target)];
  if (answers === 0) throw nothingJudged(second.traffic);
  return { answers, broken: second.traffic?.broken ?? [], before: first.results, now: second.results };
}

function resultsOf(judge: TrafficJudge, contract: Contract, target: Target) {
  const { observations, traffic } = judge.results();
  const requirements = requirementsFor(contract, target);
  return { results: evaluateRequirements(requirements, observations, target.profile, 'recorded'), traffic };
}

function assertRead(unread: UnreadSources): void {
  const [first] = unread.list();
  if (first)
    throw new CommandError(`--judge names ${shownName(first.file)}, which cannot be judged: ${first.reason}`);
}

function nothingJudged(traffic: Traffic | undefined): CommandError {
  const reasons = Object.entries(traffic?.skipped ?? {}).map(([reason, number]) => `${number} ${reason}`);
  return new CommandError(`no answer that --judge names can be judged: ${reasons.join(', ')}`);
}

/** A requirement of which the same answers say something else now. */
export interface ChangedVerdict {
  address: string;
  before: string;
  now: string;
}

/** @param names operations that are called otherwise now */
export function changedVerdicts(
  { before, now }: Replay,
  names: ReadonlyMap<string, string>,
): ChangedVerdict[] {
  const addressNow = (address: string) => {
    const [operation = '', ...rest] = address.split('/');
    return [names.get(operation) ?? operation, ...rest].join('/');
  };
  const old = new Map(before.map((result) => [addressNow(result.address), result]));
  const own = new Map(now.map((result) => [result.address, result]));
  return [...new Set([...old.keys(), ...own.keys()])]
    .filter((address) => verdictOf(old.get(address)) !== verdictOf(own.get(address)))
    .map((address) => ({ address, before: textOf(old.get(address)), now: textOf(own.get(address)) }));
}

const verdictOf = (result: RequirementResult | undefined) => result?.verdict ?? 'not exercised';

function textOf(result: RequirementResult | undefined): string {
  const verdict = verdictOf(result);
  if (verdict === 'not exercised') return 'not judged';
  return result?.affected ? `${verdict} in ${result.affected} of ${result.requests} answers` : verdict;
}
