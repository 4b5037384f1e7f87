import type { Operation } from '../../schemas/contract.ts';
import { addressOf } from '../../schemas/nodes.ts';
import type { Visits } from '../../schemas/visits.ts';
import { maxConcurrency } from '../client/http-client.ts';
import type { Observation } from '../client/observation.ts';
import type { SweptList } from '../exchanges/session.ts';
import { announcement } from './announcement.ts';
import { headOf, type SweepContext, sweepDir } from './context.ts';
import { Journal } from './journal.ts';
import { ListClient, type PageAnswer } from './list-client.ts';
import { type ListPlan, type Planned, planList, requestsOf } from './list-plan.ts';
import { PageStep, rangeOf } from './page-step.ts';
import { inOrder, type PageRequest } from './paging.ts';
import type { SweepResult } from './result.ts';
import { Sightings } from './sightings.ts';
import { type PageResult, summed, Tally } from './tally.ts';

/** Pages without an answer, one after the other, after which a sweep stops; and in all. */
const [mostFailedInARow, mostFailed] = [5, 100];
/** Pages in a row that hold nothing new: the list has no end, but begins again. */
const mostPagesWithoutNews = 3;

/** What a sweep came to, and what was observed on the way. */
export interface Swept {
  result: SweepResult;
  observations: Observation[];
}

/** Follows a list to its end, or looks at records of it that are drawn, and judges each of them once. */
export async function sweepList(context: SweepContext, operation: Operation, list: SweptList): Promise<Swept> {
  const sweep = new ListSweep(context, operation, list);
  try {
    return await sweep.run();
  } finally {
    sweep.close();
  }
}

class ListSweep {
  readonly #context: SweepContext;
  readonly #operation: Operation;
  readonly #list: SweptList;
  readonly #client: ListClient;
  readonly #tally: Tally;
  readonly #sightings = new Sightings();
  #journal: Journal | undefined;
  #plan: ListPlan | undefined;
  #stopped: string | undefined;
  #ended = false;
  /** Failed pages since the last one that was answered: what they are is known by what follows. */
  #failing: { request: PageRequest; page: PageAnswer }[] = [];
  #failed = 0;
  #withoutNews = 0;
  #short: PageRequest | undefined;

  constructor(context: SweepContext, operation: Operation, list: SweptList) {
    this.#context = context;
    this.#operation = operation;
    this.#list = list;
    this.#client = new ListClient(operation, list, context.client, context.patience);
    this.#tally = new Tally(context.contract.operations);
  }

  close(): void {
    this.#journal?.close();
  }

  async run(): Promise<Swept> {
    const { progress, target } = this.#context;
    const first = this.#resume() ? undefined : await this.#begin();
    if (this.#plan && !this.#ended) {
      progress.say(announcement(this.#plan, this.#list, this.#context, this.#tally.next));
      progress.begin(this.#tally.held);
      await this.#follow(this.#plan, first);
      progress.end(this.#done());
    }
    if (target.sweep !== 'off' && this.#ended) this.#journal?.end();
    return this.#swept();
  }

  /** Goes on with what an earlier run has left. */
  #resume(): boolean {
    const { target } = this.#context;
    const head = headOf(this.#context, this.#operation.id);
    const found = target.resume
      ? Journal.resume(sweepDir(target), this.#operation.id, head, (page) => this.#tally.add(page))
      : undefined;
    this.#journal = found?.journal ?? Journal.create(sweepDir(target), this.#operation.id, head);
    if (!found || found.kept.start === undefined) return false;
    this.#plan = found.kept.start as ListPlan;
    this.#ended = found.kept.ended;
    this.#sightings.restore(found.kept.prints, this.#tally.last);
    return true;
  }

  async #begin(): Promise<PageAnswer | undefined> {
    const { target, progress } = this.#context;
    const { sweep, sweepSeed = Math.floor(Math.random() * 2 ** 31) } = target;
    const sample = typeof sweep === 'number' ? { size: sweep, seed: sweepSeed } : undefined;
    const planned: Planned = await planList(this.#client, sample);
    if ('problem' in planned) {
      this.#stopped = planned.problem;
      progress.say(`sweep: the list of ${this.#list.noun} cannot be followed: ${planned.problem}`);
      return undefined;
    }
    this.#plan = planned.plan;
    this.#journal?.start(planned.plan);
    return planned.first;
  }

  async #follow(plan: ListPlan, first: PageAnswer | undefined): Promise<void> {
    const { part, progress, entries, target, curl } = this.#context;
    const rules = {
      operation: this.#operation,
      pointer: this.#list.pointer,
      tolerates: target.profile === 'observed',
      ...{ entries, curl, part },
    };
    const seen = { sightings: this.#sightings, shapes: this.#tally.shapes };
    const overlap = plan.sample ? 0 : plan.paging.overlap;
    const step = new PageStep(this.#context, rules, this.#list, { overlap }, seen);
    const reused = plan.sample ? undefined : first;
    const ask = async (request: PageRequest) => {
      const isFirst = request.number === 0 && reused !== undefined;
      return { request, page: isFirst ? reused : await this.#client.page(request.limit, request.offset) };
    };
    const pages = inOrder(requestsOf(plan, this.#tally.next, part), ask, maxConcurrency);
    for await (const { request, page } of pages) {
      if (await this.#isLast(plan, step, request, page)) return;
      progress.update(this.#done());
    }
    this.#ended = this.#failing.length === 0;
    this.#settleFailing();
  }

  /** Takes a page. @returns whether it is the last one */
  async #isLast(plan: ListPlan, step: PageStep, request: PageRequest, page: PageAnswer): Promise<boolean> {
    if (page.failed !== undefined) return this.#isLastAfterFailure(plan, request, page);
    const isEmpty = page.records?.length === 0;
    if (isEmpty && !plan.sample && request.number > 0) {
      this.#failing = this.#failing.filter((one) => !one.page.rejected);
      this.#settleFailing();
      this.#ended = true;
      return true;
    }
    this.#settleFailing();
    const { result, added } = await step.take(request, page);
    this.#keep({ ...result, ...this.#cutShort(plan, request, page) }, added);
    return this.#isRepeating(result, added);
  }

  /** A page that holds less than was asked for is the last one, or leaves something out. */
  #cutShort(plan: ListPlan, request: PageRequest, { records = [] }: PageAnswer): Pick<PageResult, 'blocked'> {
    const short = this.#short;
    const isShort = !plan.sample && records.length < request.limit && !plan.isOnePage;
    this.#short = isShort ? { ...request, position: request.position + records.length } : undefined;
    if (!short) return {};
    const to = request.position;
    return short.position >= to
      ? {}
      : { blocked: { from: short.position + 1, to, reason: 'a page held fewer records than were asked for' } };
  }

  #isRepeating({ held, judged }: PageResult, added: Uint32Array): boolean {
    this.#withoutNews = held > 1 && judged === 0 && added.length === 0 ? this.#withoutNews + 1 : 0;
    if (this.#withoutNews < mostPagesWithoutNews) return false;
    this.#stopped = 'the pages began to repeat what was listed before';
    return true;
  }

  #isLastAfterFailure(plan: ListPlan, request: PageRequest, page: PageAnswer): boolean {
    this.#failing.push({ request, page });
    if (!plan.sample && this.#failing.length > 1 && this.#failing.every((one) => one.page.rejected)) {
      this.#failing = [];
      this.#ended = true;
      return true;
    }
    const isTooMuch = this.#failing.length >= mostFailedInARow || this.#failed + this.#failing.length >= mostFailed;
    if (!isTooMuch) return false;
    this.#stopped = `too many pages were not answered: ${page.failed}`;
    return true;
  }

  /** Pages that failed before one that was answered are ranges that nothing is known of. */
  #settleFailing(): void {
    for (const { request, page } of this.#failing) {
      const blocked = rangeOf(request, this.#context.disclosure.mask(page.failed ?? ''));
      const nothing = { held: 0, judged: 0, observations: [], broken: {}, moved: { repeated: 0, gaps: 0 } };
      this.#keep({ number: request.number, ...nothing, blocked }, new Uint32Array());
      this.#failed += 1;
    }
    this.#failing = [];
  }

  #keep(page: PageResult, added: Uint32Array): void {
    this.#journal?.page(page, added);
    this.#tally.add(page);
  }

  #done() {
    const { held, violations } = this.#tally;
    const sample = this.#plan?.sample;
    const of = sample?.by === 'records' ? sample.drawn : this.#plan?.records;
    return { noun: this.#list.noun, records: held, of, violations };
  }

  #swept(): Swept {
    const observations = this.#tally.observations();
    return { result: this.#result(observations), observations };
  }

  #result(observations: Observation[]): SweepResult {
    const { judged, pages, blocked, moved, broken, next } = this.#tally;
    const { part } = this.#context;
    const sample = this.#plan?.sample;
    const own = observations.filter(({ operation }) => operation === this.#operation.id);
    const ofRecords = addressOf(this.#operation.id, `${this.#list.pointer}/*`);
    const isWhole = this.#ended && !sample && blocked.length === 0 && !part;
    const population = sample?.by === 'records' ? sample.of : isWhole ? judged : undefined;
    return {
      operation: this.#operation.id,
      ...{ noun: this.#list.noun, pointer: this.#list.pointer, judged, pages, moved, broken },
      mode: sample ? 'sample' : 'all',
      ...(sample ? { seed: sample.seed } : {}),
      ...(population === undefined ? {} : { population }),
      ...(sample?.by === 'pages' && this.#plan ? { drawnPages: { of: sample.of, size: this.#plan.paging.size } } : {}),
      blocked: [...blocked, ...this.#unasked(next)],
      ...(this.#stopped === undefined ? {} : { stopped: this.#stopped }),
      states: below(ofRecords, own.map(({ states }) => states)),
      exercised: below('', own.map(({ visits }) => visits)),
      ...(part ? { part } : {}),
    };
  }

  /** What lies behind the place at which a sweep has stopped. */
  #unasked(next: number) {
    const { paging, sample } = this.#plan ?? {};
    if (this.#stopped === undefined || !paging || sample) return [];
    const from = next === 0 ? 1 : next * (paging.size - paging.overlap) + paging.overlap + 1;
    return [{ from, to: undefined, reason: this.#stopped }];
  }
}

const below = (address: string, all: Visits[]): Visits =>
  Object.fromEntries(Object.entries(summed(all)).filter(([name]) => name.startsWith(address)));
