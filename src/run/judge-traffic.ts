import { randomUUID } from 'node:crypto';
import type { Contract } from '../../schemas/contract/contract.ts';
import { selectEntries } from '../../schemas/contract/ledger.ts';
import type { Target } from '../client/target.ts';
import { observe } from '../redact/redact.ts';
import { collectSecrets, Secrets } from '../redact/secrets.ts';
import { getComparableContent } from '../relations/comparable.ts';
import { undecidedReasons } from '../relations/confirm.ts';
import type { Contradiction } from '../relations/contradictions.ts';
import { describeContradiction, type RequestAndStatus } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import { explainSkipAfterJudging } from '../traffic/exchanges.ts';
import { readTraffic, type TrafficOptions } from '../traffic/read-traffic.ts';
import { isLater, type Moment, type RecordedExchange, type SkipReason } from '../traffic/recorded.ts';
import { type Traffic, TrafficCounts } from '../traffic/traffic-summary.ts';
import { listRequests } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { Totals } from '../verdict/totals.ts';
import { collectGarbageEarly } from './collect-garbage-early.ts';
import { selectReportedSettings } from './results.ts';

/** Recorded exchange without its body, kept in memory to be compared with other recorded exchanges. */
type RecordedSource = Moment & { observation: RequestAndStatus };

/** Maximum number of records kept in memory to compare responses: about 100 MB. */
const maxRecords = 100_000;

function createJudgement({ operations, ledger }: Contract, target: Target) {
  const startedAt = new Date().toISOString();
  return {
    startedAt,
    entries: selectEntries(ledger, target.name, startedAt),
    secrets: new Secrets(collectSecrets(target)),
    relations: new Relations<RecordedSource>(operations, { secret: randomUUID(), isLater, maxRecords }),
    totals: new Totals(),
  };
}

type Judgement = ReturnType<typeof createJudgement>;

/** Judges the recordings of `TRAFFIC` one exchange after the other, so that large recordings fit into memory. */
export async function judgeTraffic(
  contract: Contract,
  target: Target,
  options: Partial<TrafficOptions> = {},
): Promise<RunResults & { traffic: Traffic }> {
  collectGarbageEarly();
  const { traffic: sources = [], baseUrl } = target;
  const judgement = createJudgement(contract, target);
  const counts = new TrafficCounts(sources);
  for await (const recorded of readTraffic(sources, {
    ...options,
    operations: contract.operations,
    baseUrl,
  })) {
    const skipReason = recorded.kind === 'exchange' && judgeExchange(judgement, recorded);
    counts.add(skipReason ? { kind: 'skipped', reason: skipReason, at: recorded.at } : recorded);
  }
  const { relations, totals, secrets, startedAt } = judgement;
  for (const contradiction of relations.contradictions.all()) addContradiction(judgement, contradiction);
  const run = { ...selectReportedSettings(contract, target, secrets, startedAt), requests: 0, repeated: {} };
  const { observations } = totals;
  const traffic = { ...counts.summarize(), notCompared: relations.notCompared || undefined };
  return { run, observations, requests: listRequests(observations, []), traffic };
}

/** Judges a recorded exchange. If the exchange says nothing about the contract, such as HTTP 503, skips it and returns why. */
function judgeExchange(judgement: Judgement, recorded: RecordedExchange): SkipReason | undefined {
  const { relations, totals } = judgement;
  const { exchange, request, base, at } = recorded;
  const { judged, observation } = observe(exchange, request, judgement);
  const { operation, parameters } = exchange;
  const lookup = { operation, parameters, scope: base };
  const isRecordKnown = () => relations.isShown(lookup);
  const skipReason = explainSkipAfterJudging(recorded, judged, isRecordKnown);
  if (skipReason) return skipReason;
  const { kind } = judged;
  // Rules between responses compare only successes here: without a judgement, `getComparableContent` returns no record.
  const comparableContent = getComparableContent(operation, kind === 'success' ? judged : undefined);
  const source = { ...at, observation: { ...request, status: exchange.response.status, kind } };
  const comparison = relations.compareAndStore({ ...lookup, ...comparableContent, source });
  const exercised = { ...observation.exercised, ...comparison.ruleCounts };
  totals.add({ ...observation, exercised });
  return undefined;
}

/** Adds a contradiction to the totals. It is undecided unless the recording proves it, because no request can be repeated. */
function addContradiction(
  { totals, entries }: Judgement,
  contradiction: Contradiction<RecordedSource>,
): void {
  const { first, second, isProven } = contradiction;
  const conclusion = isProven ? 'broken' : { undecided: undecidedReasons.notRecordedAgain };
  // Both records may come from the same response.
  const sources = [...new Set([first.source, second.source])];
  const observation = describeContradiction({ contradiction, conclusion, requests: sources }, entries);
  if (observation) totals.add(observation);
}
