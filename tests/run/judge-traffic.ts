import type { Contract } from '../../schemas/contract/contract.ts';
import { type Entry, entriesFor } from '../../schemas/contract/ledger.ts';
import { memoize } from '../../schemas/memoize.ts';
import type { Target } from '../configuration/target.ts';
import { Disclosure } from '../redaction/disclosure.ts';
import type { Observation, Request } from '../redaction/observation.ts';
import type { RecordLimits } from '../relations/listed-records.ts';
import { RecordedRelations } from '../relations/recorded-relations.ts';
import { type Span, timesOf } from '../relations/recorded-span.ts';
import { addedByRelations, keptIn } from '../relations/related-observations.ts';
import { type Relations, relationsOf } from '../relations/relation-rules.ts';
import { IdentifierLabels } from '../traffic/identifier-labels.ts';
import { describeRequest, exchangeOf, type ObservedEntry, observeRecorded } from '../traffic/judge-entry.ts';
import { KnownResponses } from '../traffic/known-responses.ts';
import { isWorthThread, readInThread } from '../traffic/read-in-thread.ts';
import { readTraffic, type TrafficOptions } from '../traffic/read-traffic.ts';
import { RecordedAgain } from '../traffic/recorded-again.ts';
import type { ExchangeEntry, RecordedEntry, SkipReason } from '../traffic/recorded-entry.ts';
import { type RecordedRequest, requestFinder } from '../traffic/recorded-request.ts';
import { TrafficCounts } from '../traffic/traffic-summary.ts';
import { FoldedObservations } from '../verdict/folded-observations.ts';
import { requestsOf } from './requests-made.ts';
import type { RunResults } from './results.ts';

/** A recorded request, and how it is shown, once a response to it was judged. */
interface FoundRequest {
  request: RecordedRequest;
  described: Request | undefined;
  /** Whether a response has shown the record that it looks up. */
  isFound: boolean;
}

/** Judges recorded traffic: nothing is sent. Each exchange is judged as it is read, and let go of. */
export class TrafficJudge {
  readonly #contract: Contract;
  readonly #target: Target;
  readonly #entries: Entry[];
  readonly #disclosure: Disclosure;
  readonly #find: (url: string) => FoundRequest | undefined;
  readonly #labels = new IdentifierLabels();
  readonly #again = new RecordedAgain();
  readonly #known = new KnownResponses();
  readonly #relations: Relations;
  readonly #related: RecordedRelations<Span & { observation: Observation }>;
  readonly #folded: FoldedObservations;
  readonly #counts: TrafficCounts;
  readonly #startedAt = new Date().toISOString();

  constructor(contract: Contract, target: Target, limits?: RecordLimits) {
    const { operations, ledger } = contract;
    this.#contract = contract;
    this.#target = target;
    this.#entries = entriesFor(ledger, target.name, this.#startedAt.slice(0, 10));
    this.#disclosure = new Disclosure(target, contract);
    // Whatever else the recording holds is not looked through: a word of an answer may be a secret there.
    this.#disclosure.quoteNothing();
    this.#relations = relationsOf(contract);
    this.#related = new RecordedRelations(this.#relations, limits);
    const find = requestFinder(operations, target.baseUrl);
    this.#find = memoize((url) => {
      const request = find(new URL(url));
      return request && { request, described: undefined, isFound: false };
    });
    this.#folded = new FoldedObservations(operations);
    this.#counts = new TrafficCounts(target.traffic ?? []);
  }

  /** Tells the reader which exchanges to read whole. */
  readonly findRoute = (url: URL) => this.#find(url.href)?.request;

  /** Judges an entry, or counts why it cannot be. @returns whether it was judged */
  take(entry: RecordedEntry): boolean {
    if (entry.kind === 'exchange') return this.#judge(entry);
    if (entry.kind === 'broken') this.#counts.break(entry);
    else this.#counts.skip(entry.reason);
    return false;
  }

  #judge(entry: ExchangeEntry): boolean {
    const outcome = this.#again.has(entry)
      ? 'recorded twice'
      : this.#known.outcome(entry, () => this.#outcomeOf(entry));
    const isJudged = typeof outcome !== 'string';
    if (isJudged) {
      this.#keep(outcome, spanOf(entry));
      this.#counts.judge(entry.startedAt);
    } else this.#counts.skip(outcome);
    return isJudged;
  }

  /** With what the rules between responses add, once the recording has shown it. */
  #keep({ observation, source, prints }: ObservedEntry, span: Span): void {
    const results = this.#related.add(prints, { ...source, ...span });
    this.#folded.add(observation, keptIn(results));
    for (const added of addedByRelations(results, this.#entries)) this.#folded.add(added);
  }

  #outcomeOf(entry: ExchangeEntry): ObservedEntry | SkipReason {
    const found = this.#find(entry.url);
    if (!found) return 'other path';
    const exchange = exchangeOf(found.request, entry, () => this.#isKnown(found));
    if (typeof exchange === 'string') return exchange;
    found.isFound = true;
    // In the order in which they are judged: that is how identifiers are numbered.
    found.described ??= describeRequest(found.request, this.#labels);
    const context = { entries: this.#entries, relations: this.#relations, base: found.request.base };
    return observeRecorded(exchange, entry, found.described, context);
  }

  /** Whether an earlier response has shown the record that is looked up. */
  #isKnown({ request, isFound }: FoundRequest): boolean {
    return isFound || this.#related.isListed(request.operation, request.parameters, request.base);
  }

  /** What the recording has shown by its end; called once, when all was taken. */
  results(): RunResults {
    const { name, profile, minCoverage, undeclaredFields } = this.#target;
    const { notCompared } = this.#related;
    const traffic = { ...this.#counts.traffic(), ...(notCompared > 0 ? { notCompared } : {}) };
    const run = {
      target: this.#disclosure.mask(name),
      profile,
      startedAt: this.#startedAt,
      requests: 0,
      repeated: {},
      contract: this.#contract.hash,
      minCoverage,
      undeclaredFields,
    };
    for (const open of addedByRelations(this.#related.open(), this.#entries)) this.#folded.add(open);
    const observations = this.#folded.list().map(this.#disclosure.settle);
    return { run, observations, requests: requestsOf(observations, []), traffic };
  }
}

type ReadingOptions = Pick<TrafficOptions, 'input' | 'onProgress'>;

/** Reads and judges what `TRAFFIC` names. */
export async function judgeTraffic(
  contract: Contract,
  target: Target,
  options: ReadingOptions = { onProgress: progress() },
  limits?: RecordLimits,
): Promise<RunResults> {
  const judge = new TrafficJudge(contract, target, limits);
  for await (const entry of await recordedEntries(judge, contract, target, options)) judge.take(entry);
  return judge.results();
}

async function recordedEntries(
  { findRoute }: TrafficJudge,
  { operations }: Contract,
  { traffic: sources = [], baseUrl }: Target,
  options: ReadingOptions,
): Promise<AsyncIterable<RecordedEntry>> {
  return (await isWorthThread(sources))
    ? readInThread({ sources, operations, baseUrl }, options.onProgress)
    : readTraffic(sources, { ...options, findRoute });
}

const mebibyte = 2 ** 20;
/** How many bytes are read between two lines of progress. */
const step = 100 * mebibyte;

/** Prints how much was read of a large source. */
function progress() {
  let printed = 0;
  return (_: string, bytes: number, total: number | undefined): void => {
    const steps = Math.floor(bytes / step);
    if (steps > 0 && steps !== printed) {
      const of = total === undefined ? '' : ` of ${Math.ceil(total / mebibyte)}`;
      process.stdout.write(`  read ${Math.floor(bytes / mebibyte)}${of} MiB\n`);
    }
    printed = steps;
  };
}

const spanOf = ({ startedAt, durationMs, position }: ExchangeEntry): Span => ({
  ...timesOf(startedAt, durationMs),
  file: position.number,
  place: position.index,
});
