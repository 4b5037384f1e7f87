import { randomUUID } from 'node:crypto';
import type { Contract } from '../../schemas/contract/contract.ts';
import { entriesFor } from '../../schemas/contract/ledger.ts';
import type { Target } from '../client/target.ts';
import { observe } from '../redact/redact.ts';
import { Secrets, secretsOf } from '../redact/secrets.ts';
import { type Conclusion, undecided } from '../relations/confirm.ts';
import type { Contradiction } from '../relations/contradictions.ts';
import { type Answered, observationOf } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import { shownBy } from '../relations/shown.ts';
import { leftOpen } from '../traffic/exchanges.ts';
import { readTraffic, type TrafficOptions } from '../traffic/read-traffic.ts';
import { isLater, type Moment, type RecordedExchange, type SkipReason } from '../traffic/recorded.ts';
import { type Traffic, TrafficCounts } from '../traffic/traffic-summary.ts';
import { requestsOf } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { Totals } from '../verdict/totals.ts';
import { aboutRun } from './results.ts';

/** What is kept of an exchange that shows something new. */
type RecordedSource = Moment & { observation: Answered };

/** What takes 100 MB: most of it is what may be shown of responses. */
const maxRecords = 100_000;

/** What the exchanges of a recording are held against, and added to. */
function judgingOf({ operations, ledger }: Contract, target: Target) {
  const startedAt = new Date().toISOString();
  return {
    startedAt,
    entries: entriesFor(ledger, target.name, startedAt),
    secrets: new Secrets(secretsOf(target)),
    relations: new Relations<RecordedSource>(operations, { secret: randomUUID(), isLater, maxRecords }),
    totals: new Totals(),
  };
}

type Judging = ReturnType<typeof judgingOf>;

/** Judges what `TRAFFIC` names: nothing is sent. Each exchange is judged as it is read, and let go of. */
export async function judgeTraffic(
  contract: Contract,
  target: Target,
  options: Partial<TrafficOptions> = {},
): Promise<RunResults & { traffic: Traffic }> {
  const { traffic: sources = [], baseUrl } = target;
  const { operations } = contract;
  const judging = judgingOf(contract, target);
  const counts = new TrafficCounts(sources);
  for await (const recorded of readTraffic(sources, { operations, baseUrl, ...options })) {
    const reason = recorded.kind === 'exchange' && judgeRecorded(judging, recorded);
    counts.take(reason ? { kind: 'skipped', reason, at: recorded.at } : recorded);
  }
  const { relations, totals, secrets, startedAt } = judging;
  for (const one of relations.contradictions.all())
    addFound(judging, one, one.isBroken ? 'broken' : { undecided: undecided.notRecorded });
  const run = { ...aboutRun(contract, target, secrets, startedAt), requests: 0, repeated: {} };
  const { observations } = totals;
  const traffic = { ...counts.traffic(), notCompared: relations.notCompared || undefined };
  return { run, observations, requests: requestsOf(observations, []), traffic };
}

/** @returns why nothing is said of it */
function judgeRecorded(judging: Judging, recorded: RecordedExchange): SkipReason | undefined {
  const { relations, totals } = judging;
  const { exchange, request, base, at } = recorded;
  const { judged, observation } = observe(exchange, request, judging);
  const { operation, parameters } = exchange;
  const lookup = { operation, parameters, scope: base };
  const reason = leftOpen(recorded, judged, () => relations.isShown(lookup));
  if (reason) return reason;
  const { kind } = judged;
  // Of an error nothing is compared.
  const said = shownBy(operation, kind === 'success' ? judged : undefined);
  const source = { ...at, observation: { ...request, status: exchange.answer.status, kind } };
  const { kept } = relations.see({ ...lookup, ...said, source });
  totals.add({ ...observation, exercised: { ...observation.exercised, ...kept } });
  return undefined;
}

function addFound(
  { totals, entries }: Judging,
  contradiction: Contradiction<RecordedSource>,
  conclusion: Conclusion,
): void {
  const { first, second } = contradiction;
  const sent = [...new Set([first.source, second.source])];
  const found = observationOf({ contradiction, conclusion, sent }, entries);
  if (found) totals.add(found);
}
