import { randomUUID } from 'node:crypto';
import type { Contract } from '../../schemas/contract/contract.ts';
import { type Entry, entriesFor } from '../../schemas/contract/ledger.ts';
import type { Target } from '../client/target.ts';
import { observe } from '../redact/redact.ts';
import { Secrets, secretsOf } from '../redact/secrets.ts';
import { type Conclusion, undecided } from '../relations/confirm.ts';
import type { Contradiction } from '../relations/contradictions.ts';
import { type Answered, observationOf } from '../relations/findings.ts';
import { type Limits, Relations } from '../relations/relations.ts';
import { shownBy } from '../relations/shown.ts';
import { leftOpen } from '../traffic/exchanges.ts';
import { readTraffic, type TrafficOptions } from '../traffic/read-traffic.ts';
import { isLater, type Moment, type Recorded } from '../traffic/recorded.ts';
import { type Traffic, TrafficCounts } from '../traffic/traffic-summary.ts';
import { requestsOf } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { Totals } from '../verdict/totals.ts';
import { aboutRun } from './results.ts';

/** What is kept of an exchange that shows something new. */
type RecordedSource = Moment & { observation: Answered };

/** 40 MB for a million records, and as much for the responses that have shown something new. */
const limits: Limits = { maxRecords: 1_000_000, maxSources: 100_000 };

/** Judges recorded traffic: nothing is sent. Each exchange is judged as it is read, and let go of. */
class TrafficJudge {
  readonly #contract: Contract;
  readonly #target: Target;
  readonly #entries: Entry[];
  readonly #secrets: Secrets;
  readonly #relations: Relations<RecordedSource>;
  readonly #totals: Totals;
  readonly #counts: TrafficCounts;
  readonly #startedAt = new Date().toISOString();

  constructor(contract: Contract, target: Target) {
    const { operations, ledger } = contract;
    this.#contract = contract;
    this.#target = target;
    this.#entries = entriesFor(ledger, target.name, this.#startedAt);
    this.#secrets = new Secrets(secretsOf(target));
    this.#relations = new Relations<RecordedSource>(operations, {
      secret: randomUUID(),
      isLater,
      ...limits,
    });
    this.#totals = new Totals(operations);
    this.#counts = new TrafficCounts(target.traffic ?? []);
  }

  /** Judges an exchange, with what the rules between responses add, or counts why nothing is said of it. */
  take(recorded: Recorded): void {
    if (recorded.kind !== 'exchange') {
      this.#counts.take(recorded);
      return;
    }
    const { exchange, request, base, at } = recorded;
    const judging = { entries: this.#entries, secrets: this.#secrets };
    const { judged, observation } = observe(exchange, request, judging);
    const { operation, parameters } = exchange;
    const lookup = { operation, parameters, scope: base };
    const reason = leftOpen(recorded, judged, () => this.#relations.isShown(lookup, 'any'));
    this.#counts.take(reason ? { kind: 'skipped', reason, at } : recorded);
    if (reason) return;
    const { kind } = judged;
    // Of an error nothing is compared.
    const said = shownBy(operation, kind === 'success' ? judged : undefined);
    const source = { ...at, observation: { ...request, status: exchange.answer.status, kind } };
    const { kept, contradictions } = this.#relations.see({ ...lookup, ...said, source });
    this.#totals.add({ ...observation, exercised: { ...observation.exercised, ...kept } });
    for (const one of contradictions.filter(({ isBroken }) => isBroken)) this.#addFound(one, 'broken');
  }

  #addFound(contradiction: Contradiction<RecordedSource>, conclusion: Conclusion): void {
    const { first, second } = contradiction;
    const sent = [...new Set([first.source, second.source])];
    const found = observationOf({ contradiction, conclusion, sent }, this.#entries);
    if (found) this.#totals.add(found);
  }

  /** What the recording has shown by its end; called once, when all was taken. */
  results(): RunResults & { traffic: Traffic } {
    const { notCompared } = this.#relations;
    const traffic = { ...this.#counts.traffic(), notCompared: notCompared || undefined };
    const about = aboutRun(this.#contract, this.#target, this.#secrets, this.#startedAt);
    const run = { ...about, requests: 0, repeated: {} };
    for (const one of this.#relations.contradictions())
      if (!one.isBroken) this.#addFound(one, { undecided: undecided.notRecorded });
    const observations = this.#totals.observations;
    return { run, observations, requests: requestsOf(observations, []), traffic };
  }
}

/** Reads and judges what `TRAFFIC` names. */
export async function judgeTraffic(
  contract: Contract,
  target: Target,
  options: Partial<TrafficOptions> = {},
): Promise<RunResults & { traffic: Traffic }> {
  const judge = new TrafficJudge(contract, target);
  const reading = { operations: contract.operations, baseUrl: target.baseUrl, ...options };
  for await (const recorded of readTraffic(target.traffic ?? [], reading)) judge.take(recorded);
  return judge.results();
}
