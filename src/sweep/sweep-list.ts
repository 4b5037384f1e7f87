import type { Operation } from '../../schemas/contract/contract.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { counted, number } from '../../schemas/counted.ts';
import type { Broken } from '../../schemas/judge/judged.ts';
import { valuesOf } from '../ask/request.ts';
import type { SweptList } from '../ask/session.ts';
import { CircuitBreaker, maxConcurrency } from '../client/http-client.ts';
import type { Shard, Target } from '../client/target.ts';
import { confirmAll } from '../relations/confirm.ts';
import type { Contradiction } from '../relations/contradictions.ts';
import { withKept } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import {
  addLine,
  brokenIn,
  doneIn,
  emptyLine,
  headOf,
  type SweepContext,
  type Swept,
  type SweptLine,
  secretOf,
  stopAt,
} from './context.ts';
import { type Journal, openJournal } from './journal.ts';
import {
  askPage,
  countOwn,
  inOrder,
  isNothing,
  isOwn,
  type ListSource,
  type Page,
  type PageRequest,
  PagingError,
  type Plan,
  pageAt,
  planList,
  requestsIn,
  requestsOf,
} from './paging.ts';
import { duration } from './progress.ts';
import {
  type BlockedRange,
  type BrokenRecords,
  maxPlaces,
  nothingSwept,
  type SweepResult,
  shardText,
  sumOfBroken,
} from './summary.ts';
import { believed, type SweptPage, sharedKeys, uniqueRuleOf } from './uniqueness.ts';

/** A line of the journal: what was found out before the first page, or what a page adds. It holds no value and no identifier. */
type Line = { plan: Plan; requests: number } | PageLine;

/** What a page adds to a sweep. */
export interface PageLine extends SweptLine {
  request: PageRequest;
  /** What it should show, and does not: it is requested again at the end. */
  lack?: Lack;
  /** Set where it was requested again. */
  isAgain?: true;
  /** Set where it lies behind the end. */
  isEnd?: true;
}

/** Places that a page does not show. @property isShort set where the target says that there is nothing */
type Lack = BlockedRange & { isShort?: true };

/** Pages that lack something after which a sweep stops: so many, or this share of all, if that is more. */
const [maxLacking, maxLackingShare] = [100, 0.1];

/** Follows a list to its end, or looks at records of it that are drawn, and judges each of them once. */
export const sweepList = (context: SweepContext, operation: Operation, list: SweptList): Promise<Swept> =>
  new ListSweep(context, operation, list).run();

class ListSweep {
  readonly #context: SweepContext;
  readonly #source: ListSource;
  /** Address of the rule that a key names one record. */
  readonly #unique: string | undefined;
  readonly #relations: Relations<SweptPage>;
  readonly #contradictions: Contradiction<SweptPage>[] = [];
  readonly #result: SweepResult;
  readonly #lacking = new Map<number, { request: PageRequest; lack: Lack }>();
  readonly #breaker = new CircuitBreaker({ inARow: true });
  #journal: Journal<Line> | undefined;
  #plan: Plan | undefined;
  #next = 0;
  #isEnded = false;
  #requests = 0;
  /** Requests that no line counts yet. */
  #beside = 0;
  /** How the addresses of what is judged on each record begin. */
  readonly #ofRecords: string;

  constructor(context: SweepContext, operation: Operation, list: SweptList) {
    const { sweep, shard } = context.target;
    // Where nothing is answered any more, nothing more is sent.
    const client = { get: (path: string) => context.client.get(path, this.#breaker) };
    this.#context = { ...context, client };
    this.#source = { context: this.#context, operation, list };
    this.#unique = uniqueRuleOf(operation, list);
    this.#relations = new Relations(context.contract.operations, {
      secret: secretOf(context),
      maxRecords: Number.POSITIVE_INFINITY,
    });
    this.#ofRecords = addressOf(operation.id, `${list.pointer}/*`);
    this.#result = nothingSwept({
      ...{ operation: operation.id, noun: list.noun, journal: operation.id },
      list: { pointer: list.pointer, between: this.#unique ? [this.#unique] : [] },
      mode: sweep === 'all' ? 'all' : 'sample',
      ...(shard ? { shard } : {}),
    });
  }

  async run(): Promise<Swept> {
    const { target, progress } = this.#context;
    const { operation, list } = this.#source;
    const goOn = (line: Line, hashes: Uint32Array[]) => {
      if ('request' in line) {
        const source = { request: line.request };
        this.#contradictions.push(...this.#relations.replay(operation, hashes, source).contradictions);
      }
      this.#add(line);
    };
    this.#journal = await openJournal<Line>(target, operation.id, headOf(this.#context), goOn);
    try {
      await this.#sweep(this.#plan ?? (await this.#begin()));
    } catch (error) {
      if (!(error instanceof PagingError)) throw error;
      this.#stop(0, error.message);
      progress.say(`sweep: the list of ${list.noun} cannot be followed: ${error.message}`);
    } finally {
      this.#journal.close();
    }
    return { result: this.#result, requests: this.#requests };
  }

  async #begin(): Promise<Plan> {
    let requests = 0;
    const get = async (path: string) => {
      const answer = await this.#context.client.get(path);
      requests += requestsIn(answer);
      return answer;
    };
    const context = { ...this.#context, client: { get } };
    const plan = await planList({ ...this.#source, context });
    this.#write({ plan, requests });
    return plan;
  }

  async #sweep(plan: Plan): Promise<void> {
    const { progress, target } = this.#context;
    progress.say(announcement(plan, this.#source.list, target, this.#next));
    progress.begin(this.#result.judged);
    await this.#follow(plan);
    if (!plan.sample) await this.#followOn(plan);
    await this.#askAgain(plan);
    await this.#confirm();
    if (plan.open) this.#result.failed.push({ from: plan.counted + 1, to: undefined, reason: plan.open });
    progress.end(this.#done(plan));
  }

  readonly #ask = async (request: PageRequest) => ({ request, page: await askPage(this.#source, request) });

  /** Pages in their order. What lacks anything is not judged yet. */
  async #follow(plan: Plan): Promise<void> {
    const { target, progress } = this.#context;
    const max = Math.max(maxLacking, maxLackingShare * countOwn(target.shard, plan.pages));
    let lacking = 0;
    for await (const { request, page } of inOrder(
      requestsOf(plan, target.shard, this.#next),
      this.#ask,
      maxConcurrency,
    )) {
      const lack = lackIn(plan, request, page);
      if (lack) lacking += 1;
      if (page.isNotSent || lacking > max) return this.#stop(request.position, tooMany(page));
      if (lack) this.#write({ ...nothingIn(request, page), lack });
      else this.#take(request, page);
      progress.update(this.#done(plan));
    }
  }

  /** A list that has grown goes on behind its last page, up to one that shows nothing, and is looked at twice. */
  async #followOn(plan: Plan): Promise<void> {
    const { shard } = this.#context.target;
    for (let at = Math.max(plan.pages, this.#next); !this.#isEnded && !this.#result.stopped; at += 1)
      if (at > 2 * plan.pages + maxGrown) this.#stop(at * plan.size, 'the list grows faster than it is read');
      else if (isOwn(shard, at)) await this.#lookBehind(pageAt(plan, at));
  }

  async #lookBehind(request: PageRequest): Promise<void> {
    const first = await askPage(this.#source, request);
    const page = first.records?.length ? first : await askPage(this.#source, request);
    if (page !== first) this.#beside += first.requests;
    const nothing = { ...nothingIn(request, page), isEnd: true } as const;
    if (page.isNotSent) this.#stop(request.position, tooMany(page));
    else if (isNothing(page)) this.#write(nothing);
    else if (page.records) this.#take(request, page);
    else this.#write({ ...nothing, lack: rangeOf(request, page.failed ?? '') });
  }

  /** What pages lack that lacked something before is a range that was not looked at. */
  async #askAgain(plan: Plan): Promise<void> {
    const waiting = this.#result.stopped ? [] : [...this.#lacking.values()].map(({ request }) => request);
    for await (const { request, page } of inOrder(waiting, this.#ask, maxConcurrency)) {
      const lack = lackIn(plan, request, page);
      const again = { ...(lack ? { lack } : {}), isAgain: true } as const;
      if (page.records?.length || page.isBroken) this.#take(request, page, again);
      else this.#write({ ...nothingIn(request, page), ...again });
    }
  }

  /** Takes a page that was answered, and holds its records against those before them. */
  #take(request: PageRequest, page: Page, again: Pick<PageLine, 'lack' | 'isAgain'> = {}): void {
    const { parameters, taken, records = [] } = page;
    if (!taken) return;
    const { operation, list } = this.#source;
    const { kind, body } = taken.judged;
    const seen = { operation, parameters: valuesOf(parameters), kind, body, source: { request } };
    const { kept, contradictions, repeated, shown } = this.#relations.see(seen);
    this.#contradictions.push(...contradictions);
    const line = {
      ...nothingIn(request, page),
      held: records.length,
      // A record that shares its key with another one is shown for the first time.
      judged: records.length - repeated + contradictions.length,
      observations: [withKept(taken.observation, kept)],
      broken: recordsOf(list, brokenIn(this.#context, taken.judged), request.position),
    };
    this.#write({ ...line, ...again }, shown);
  }

  /** Records that seem to share a key are requested again. What is found is no part of the journal: it says so anew. */
  async #confirm(): Promise<void> {
    const { operation, list } = this.#source;
    if (!this.#unique || this.#contradictions.length === 0 || this.#result.stopped) return;
    const ask = async (source: SweptPage) => {
      const page = await askPage(this.#source, source.request);
      this.#beside += page.requests;
      const { kind = 'other', body } = page.taken?.judged ?? {};
      return { operation, parameters: valuesOf(page.parameters), kind, body, source };
    };
    const options = { isEach: true, settlesInMs: this.#context.settlesInMs };
    const confirmed = await confirmAll(this.#relations, this.#contradictions, ask, options);
    const { records, observations } = sharedKeys(believed(confirmed), list, this.#context);
    if (records) this.#result.broken[this.#unique] = records;
    for (const observation of observations) this.#context.add(observation);
    this.#requests += this.#beside;
  }

  #write(written: Line, hashes?: Uint32Array[]): void {
    const line = { ...written, requests: written.requests + this.#beside };
    this.#beside = 0;
    this.#journal?.add(line, hashes);
    this.#add(line);
  }

  /** Adds what a line says: of this run, or of one that it goes on with. */
  #add(line: Line): void {
    this.#requests += line.requests;
    if ('plan' in line) this.#begun(line.plan);
    else this.#addPage(line);
  }

  #begun(plan: Plan): void {
    const { sample, counted: all, pages, size } = plan;
    this.#plan = plan;
    Object.assign(this.#result, { counted: all, mode: sample ? 'sample' : 'all' });
    if (!sample) return;
    const of = sample.by === 'records' ? all : pages;
    Object.assign(this.#result, { seed: sample.seed, drawn: { by: sample.by, of, size } });
  }

  #addPage(line: PageLine): void {
    const { request, held, judged, lack, isAgain, isEnd } = line;
    const result = this.#result;
    if (isAgain) this.#lacking.delete(line.number);
    else this.#next = line.number + 1;
    if (lack && !isAgain && !isEnd) this.#lacking.set(line.number, { request, lack });
    else if (lack) addLack(result, lack);
    this.#isEnded ||= isEnd === true;
    addLine({ ...this.#context, result }, line, this.#ofRecords);
    if (held === 0) return;
    result.pages += 1;
    result.repeated += held - judged;
    result.places = Math.max(result.places, request.position + held);
  }

  #stop(position: number, reason: string): void {
    for (const { lack } of this.#lacking.values()) addLack(this.#result, lack);
    stopAt(this.#result, position, reason);
  }

  #done = (plan: Plan) =>
    doneIn(this.#result, this.#result.judged, recordsIn(plan, this.#context.target.shard));
}

/** About how many records the share of a shard has. */
function recordsIn({ sample, size, counted: all, pages }: Plan, shard: Shard | undefined): number {
  if (sample) return countOwn(shard, sample.drawn) * (sample.by === 'records' ? 1 : size);
  return Math.min(all, countOwn(shard, pages) * size);
}

/** Says what a sweep is about to do. */
function announcement(plan: Plan, { noun }: SweptList, { maxRps, shard }: Target, next: number): string {
  const { sample, size, pages } = plan;
  const left = Math.max(0, countOwn(shard, sample?.drawn ?? pages) - countOwn(shard, next));
  const what = sample
    ? `${number(sample.drawn)} ${sample.by === 'records' ? noun : `pages of ${noun}`} at random of ${number(sample.by === 'records' ? plan.counted : pages)} (SWEEP_SEED=${sample.seed})`
    : `${number(plan.counted)} ${noun}`;
  const length = sample?.by === 'records' ? '' : `, pages of ${number(size)}`;
  const time = Number.isFinite(maxRps) ? `, ${duration(left / maxRps)} at ${number(maxRps)} a second` : '';
  const after = next > 0 ? `; going on after ${number(next)} pages` : '';
  return `sweep: ${what}${length}: ${counted(left, 'more request')}${time}${shardText(shard)}${after}`;
}

const tooMany = ({ failed }: Page) => `too many pages were not answered: ${failed ?? 'they are empty'}`;

/** Pages by which a list may have grown meanwhile, beside as many as it had. */
const maxGrown = 10;

const rangeOf = ({ position, limit }: PageRequest, reason: string): BlockedRange => ({
  ...{ from: position + 1, to: position + limit, reason },
});

/** Records that a page lacks, as far as the list was seen to have them. */
function lackIn(plan: Plan, request: PageRequest, page: Page): Lack | undefined {
  const { records = [], failed } = page;
  const { position, limit } = request;
  if (page.records === undefined && !page.isRejected) return rangeOf(request, failed ?? '');
  const expected = Math.max(0, Math.min(limit, plan.counted - position));
  if (records.length >= expected) return undefined;
  const reason = failed ?? `the page shows ${number(records.length)} of ${counted(expected, 'record')}`;
  return { from: position + records.length + 1, to: position + expected, reason, isShort: true };
}

function addLack({ failed, short }: SweepResult, { isShort, ...range }: Lack): void {
  (isShort ? short : failed).push(range);
}

/** A page that shows no record. */
const nothingIn = (request: PageRequest, { requests }: Page): PageLine => ({
  ...emptyLine(request.number),
  ...{ request, requests },
});

/** How many records of a page break a requirement, by its address, with the places of the first ones in the list. */
function recordsOf(
  { pointer }: SweptList,
  broken: Broken[],
  position: number,
): Record<string, BrokenRecords> {
  const all: Record<string, BrokenRecords> = {};
  for (const { requirement, records, first } of broken) {
    const own = first.filter((one) => one.pointer.startsWith(`${pointer}/`));
    const indices = new Set(own.map((one) => Number.parseInt(one.pointer.slice(pointer.length + 1), 10)));
    if (indices.size === 0) continue;
    const places = [...indices].slice(0, maxPlaces).map((index) => position + index + 1);
    all[requirement] = sumOfBroken(all[requirement], { records, first: places, pages: 1 });
  }
  return all;
}
