import { randomUUID } from 'node:crypto';
import type { Contract } from '../../schemas/contract/contract.ts';
import { selectEntries } from '../../schemas/contract/ledger.ts';
import type { JudgedResponse } from '../../schemas/judge/judged.ts';
import type { Target } from '../client/target.ts';
import { observe } from '../redact/redact.ts';
import { collectSecrets, Secrets } from '../redact/secrets.ts';
import { type ComparableResponse, getComparableContent } from '../relations/comparable.ts';
import { undecidedReasons } from '../relations/confirm.ts';
import type { Contradiction } from '../relations/contradictions.ts';
import { createContradictionObservation, type RequestAndStatus } from '../relations/findings.ts';
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

/** Creates what all exchanges of a run are judged with, and the totals to which each of them adds. */
function createTrafficRun({ operations, ledger }: Contract, target: Target) {
  const startedAt = new Date().toISOString();
  const entries = selectEntries(ledger, target.name, startedAt);
  const secrets = new Secrets(collectSecrets(target));
  // A random key, because the hashes of records are compared only within this run.
  const relationOptions = { secret: randomUUID(), isLater, maxRecords };
  const relations = new Relations<RecordedSource>(operations, relationOptions);
  return { startedAt, entries, secrets, relations, totals: new Totals() };
}

type TrafficRun = ReturnType<typeof createTrafficRun>;

/** Judges the recordings of `TRAFFIC` one exchange after the other, so that large recordings fit into memory. */
export async function judgeTraffic(
  contract: Contract,
  target: Target,
  options: Partial<TrafficOptions> = {},
): Promise<RunResults & { traffic: Traffic }> {
  collectGarbageEarly();
  const { traffic: sources = [], baseUrl } = target;
  const trafficRun = createTrafficRun(contract, target);
  const counts = new TrafficCounts(sources);
  const readOptions = { ...options, operations: contract.operations, baseUrl };
  for await (const recorded of readTraffic(sources, readOptions)) {
    if (recorded.kind !== 'exchange') {
      counts.add(recorded);
      continue;
    }
    const skipReason = judgeExchange(trafficRun, recorded);
    counts.add(skipReason ? { kind: 'skipped', reason: skipReason, at: recorded.at } : recorded);
  }
  const { relations, totals, secrets, startedAt } = trafficRun;
  for (const contradiction of relations.contradictions.all()) addContradiction(trafficRun, contradiction);
  const run = { ...selectReportedSettings(contract, target, secrets, startedAt), requests: 0, repeated: {} };
  const { observations } = totals;
  const traffic = { ...counts.summarize(), notCompared: relations.notCompared || undefined };
  return { run, observations, requests: listRequests(observations), traffic };
}

/** Judges a recorded exchange. If the exchange says nothing about the contract, such as HTTP 503, skips it and returns why. */
function judgeExchange(trafficRun: TrafficRun, recorded: RecordedExchange): SkipReason | undefined {
  const { relations, totals } = trafficRun;
  const { exchange, request, base } = recorded;
  const { judged, observation } = observe(exchange, request, trafficRun);
  const { operation, parameters } = exchange;
  const isRecordKnown = () => relations.isShown({ operation, parameters, scope: base });
  const skipReason = explainSkipAfterJudging(recorded, judged, isRecordKnown);
  if (skipReason) return skipReason;
  const { ruleCounts } = relations.compareAndStore(createComparableResponse(recorded, judged));
  totals.add({ ...observation, exercised: { ...observation.exercised, ...ruleCounts } });
  return undefined;
}

function createComparableResponse(
  { exchange, request, base, at }: RecordedExchange,
  judged: JudgedResponse,
): ComparableResponse<RecordedSource> {
  const { operation, parameters, response } = exchange;
  const { kind } = judged;
  // Only successes are compared. Without a judgement, `getComparableContent` returns no record.
  const comparableContent = getComparableContent(operation, kind === 'success' ? judged : undefined);
  const source = { ...at, observation: { ...request, status: response.status, kind } };
  return { operation, parameters, scope: base, ...comparableContent, source };
}

/** Adds a contradiction to the totals. It is undecided unless the recording proves it, because no request can be repeated. */
function addContradiction(
  { totals, entries }: TrafficRun,
  contradiction: Contradiction<RecordedSource>,
): void {
  const { earlier, later, isProven } = contradiction;
  const conclusion = isProven ? 'broken' : { undecided: undecidedReasons.notRecordedAgain };
  // Both records may come from the same response.
  const requests = [...new Set([earlier.source, later.source])];
  const observation = createContradictionObservation({ contradiction, conclusion, requests }, entries);
  if (observation) totals.add(observation);
}
