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
import {
  isLater as isRecordedLater,
  type Moment,
  type RecordedExchange,
  type TrafficEntry,
} from '../traffic/recorded.ts';
import { type Traffic, TrafficCounts } from '../traffic/traffic-summary.ts';
import { listRequests } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { Totals } from '../verdict/totals.ts';
import { collectGarbageEarly } from './collect-garbage-early.ts';
import { selectReportedSettings } from './results.ts';

type ExchangeSummary = Moment & { observation: RequestAndStatus };

/**
 * Maximum number of records to keep for each list and for each lookup. The records of all lists and lookups together need about
 * 100 MB of memory.
 */
const maxRecords = 100_000;

function createTrafficRun({ operations, ledger }: Contract, target: Target) {
  const startedAt = new Date().toISOString();
  const entries = selectEntries(ledger, target.name, startedAt);
  const secrets = new Secrets(collectSecrets(target));
  // A random key, because the hashes of records are compared only within this run.
  const relationOptions = { secret: randomUUID(), isLater: isRecordedLater, maxRecords };
  const relations = new Relations<ExchangeSummary>(operations, relationOptions);
  return { startedAt, entries, secrets, relations, totals: new Totals() };
}

type TrafficRun = ReturnType<typeof createTrafficRun>;

/**
 * Judges the recordings in `target.traffic`. Reads one exchange at a time, to save memory.
 * @param options options such as `input`, which is read in place of standard input. `operations` and `baseUrl` have no effect,
 *   because `contract` and `target` provide them.
 */
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
  // An entry that is no exchange was skipped, or cannot be read.
  for await (const entry of readTraffic(sources, readOptions))
    counts.add(entry.kind === 'exchange' ? judgeExchange(trafficRun, entry) : entry);
  const { relations, totals, secrets, startedAt } = trafficRun;
  for (const contradiction of relations.contradictions.all()) addContradiction(trafficRun, contradiction);
  const run = { ...selectReportedSettings(contract, target, secrets, startedAt), requests: 0, repeated: {} };
  const { observations } = totals;
  const traffic = { ...counts.summarize(), notCompared: relations.notCompared || undefined };
  return { run, observations, requests: listRequests(observations), traffic };
}

function judgeExchange(trafficRun: TrafficRun, recorded: RecordedExchange): TrafficEntry {
  const { relations, totals } = trafficRun;
  const { exchange, request, base: baseUrl, at: moment } = recorded;
  const { judged, observation } = observe(exchange, request, trafficRun);
  const { operation, parameters } = exchange;
  // An earlier list or lookup may have shown the record that this exchange looks up.
  const isKnownRecord = () => relations.isRecordStored({ operation, parameters, scope: baseUrl });
  const skipReason = explainSkipAfterJudging(recorded, judged, isKnownRecord);
  if (skipReason) return { kind: 'skipped', reason: skipReason, at: moment };
  const { ruleCounts } = relations.compareAndStore(createComparableResponse(recorded, judged));
  totals.add({ ...observation, exercised: { ...observation.exercised, ...ruleCounts } });
  return recorded;
}

function createComparableResponse(
  { exchange, request, base: baseUrl, at: moment }: RecordedExchange,
  judged: JudgedResponse,
): ComparableResponse<ExchangeSummary> {
  const { operation, parameters, response } = exchange;
  const { kind } = judged;
  const source = { ...moment, observation: { ...request, status: response.status, kind } };
  const comparable = { operation, parameters, scope: baseUrl, source };
  if (kind === 'success') return { ...comparable, ...getComparableContent(operation, judged) };
  // The kind `rejection` would stand for a missing record, but a recording does not show whether the request deserved its error.
  return { ...comparable, kind: 'other', body: undefined };
}

function addContradiction({ totals }: TrafficRun, contradiction: Contradiction<ExchangeSummary>) {
  const { earlier, later, isProven } = contradiction;
  // Without proof, the record may have changed between the two responses. A recorded request cannot be sent again to find out.
  const conclusion = isProven ? 'broken' : { undecided: undecidedReasons.notRecordedAgain };
  // Lists a response once if both records come from it.
  const requests = [...new Set([earlier.source, later.source])];
  const observation = createContradictionObservation({ contradiction, conclusion, requests });
  if (observation) totals.add(observation);
}
