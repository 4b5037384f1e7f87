import type { Operation } from '../../schemas/contract.ts';
import { RegularFreeing } from '../../schemas/free-memory.ts';
import { maxConcurrency } from '../client/http-client.ts';
import type { SweptList } from '../exchanges/session.ts';
import { announcement } from './announcement.ts';
import { headOf, type SweepContext, sweepDir } from './context.ts';
import { type FailedPage, Failures, rangesOf } from './failures.ts';
import { Journal } from './journal.ts';
import { ListClient, type PageAnswer } from './list-client.ts';
import { ListEnd } from './list-end.ts';
import { type ListPlan, overlapOf, pagingOf, planList, requestsOf } from './list-plan.ts';
import { resultOf } from './list-result.ts';
import { PageStep } from './page-step.ts';
import { inOrder, type PageRequest } from './paging.ts';
import type { Swept } from './result.ts';
import { ShortPages } from './short-pages.ts';
import { Sightings } from './sightings.ts';
import { nothingOf, type PageResult, Tally } from './tally.ts';

/** Node.js by itself would keep the bodies of more records. */
const recordsBetweenCollections = 25_000;

/** Follows a list to its end, or looks at records of it that are drawn, and judges each of them once. */
export async function sweepList(
  context: SweepContext,
  operation: Operation,
  list: SweptList,
): Promise<Swept> {
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
  readonly #failures = new Failures();
  readonly #freeing = new RegularFreeing(recordsBetweenCollections);
  readonly #shortPages = new ShortPages();
  #journal: Journal | undefined;
  #plan: ListPlan | undefined;
  #stopped: string | undefined;
  #ended = false;

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
    const { progress } = this.#context;
    const first = this.#resume() ? undefined : await this.#begin();
    if (this.#plan && !this.#ended) {
      progress.say(announcement(this.#plan, this.#list, this.#context, this.#tally.next));
      progress.begin(this.#tally.judged);
      await this.#follow(this.#plan, first);
      progress.end(this.#done());
      if (this.#ended) this.#journal?.end();
    }
    const state = { plan: this.#plan, tally: this.#tally, ended: this.#ended, stopped: this.#stopped };
    const { part } = this.#context;
    const result = resultOf({ ...state, operation: this.#operation, list: this.#list, part });
    return { result, observations: this.#tally.observations() };
  }

  /** Goes on with what an earlier run has left. */
  #resume(): boolean {
    const { target } = this.#context;
    const head = headOf(this.#context, this.#operation.id);
    const found = target.resume
      ? Journal.resume(sweepDir(target), this.#operation.id, head, (page) => {
          this.#tally.add(page);
          this.#sightings.addBroken(page.brokenPrints ?? []);
        })
      : undefined;
    this.#journal = found?.journal ?? Journal.create(sweepDir(target), this.#operation.id, head);
    if (found?.kept.start === undefined) return false;
    this.#plan = found.kept.start as ListPlan;
    this.#ended = found.kept.ended;
    this.#sightings.restore(found.kept.prints, this.#tally.last);
    return true;
  }

  async #begin(): Promise<PageAnswer | undefined> {
    const { target, progress } = this.#context;
    const { sweep, sweepSeed: seed = Math.floor(Math.random() * 2 ** 31) } = target;
    const planned = await planList(
      this.#client,
      typeof sweep === 'number' ? { size: sweep, seed } : undefined,
    );
    if ('problem' in planned) {
      this.#stopped = this.#context.disclosure.mask(planned.problem);
      progress.say(`sweep: the list of ${this.#list.noun} cannot be followed: ${this.#stopped}`);
      return undefined;
    }
    this.#plan = planned.plan;
    this.#journal?.start(planned.plan);
    return planned.plan.sample ? undefined : planned.first;
  }

  async #follow(plan: ListPlan, first: PageAnswer | undefined): Promise<void> {
    const { part, progress } = this.#context;
    const [step, end] = [this.#step(plan), new ListEnd(this.#client, plan)];
    const ask = async (request: PageRequest) => {
      const { number, limit, offset } = request;
      return { request, page: (number === 0 && first) || (await this.#client.page(limit, offset)) };
    };
    for await (const asked of inOrder(requestsOf(plan, this.#tally.next, part), ask, maxConcurrency)) {
      if (await this.#isLast(plan, step, end, asked)) return;
      progress.update(this.#done());
    }
    this.#ended = true;
    this.#keepBlocked(this.#failures.settle());
  }

  #step(plan: ListPlan): PageStep {
    const { part, entries, target, curl } = this.#context;
    const tolerates = target.profile === 'observed';
    const rules = { operation: this.#operation, pointer: this.#list.pointer, tolerates, entries, curl, part };
    const seen = { sightings: this.#sightings, shapes: this.#tally.shapes, client: this.#client };
    return new PageStep(this.#context, rules, this.#list, pagingOf(plan), seen);
  }

  /** Takes a page. @returns whether it is the last one */
  async #isLast(
    plan: ListPlan,
    step: PageStep,
    end: ListEnd,
    { request, page }: FailedPage,
  ): Promise<boolean> {
    if (page.failed !== undefined) return this.#isLastFailed(plan, end, { request, page });
    if (page.records?.length === 0 && !plan.sample && request.number > 0) return this.#reachEnd(end, request);
    this.#keepBlocked(this.#failures.settle(), this.#context.part ? 0 : overlapOf(plan));
    end.note(request, page);
    const { result, added } = await step.take(request, page);
    const blocked = [...this.#shortPages.leftOut(plan, request, page), ...(result.blocked ?? [])];
    this.#keep({ ...result, ...(blocked.length > 0 ? { blocked } : {}) }, added);
    this.#stopped = end.repeats(result, added) ?? end.tooLong(this.#tally.held);
    return this.#stopped !== undefined;
  }

  async #reachEnd(end: ListEnd, { number }: PageRequest): Promise<true> {
    const first = this.#failures.first ?? number;
    this.#keepBlocked(this.#failures.settleAtEnd());
    this.#stopped = await end.contradiction(first);
    this.#ended = this.#stopped === undefined;
    return true;
  }

  async #isLastFailed({ sample }: ListPlan, end: ListEnd, failed: FailedPage): Promise<boolean> {
    this.#failures.add(failed);
    if (!sample && this.#failures.isEnd) return this.#reachEnd(end, failed.request);
    if (this.#failures.isTooMany)
      this.#stopped = this.#context.disclosure.mask(
        `too many pages were not answered: ${failed.page.failed}`,
      );
    return this.#stopped !== undefined;
  }

  #keepBlocked(failed: FailedPage[], behind = 0): void {
    const before = this.#plan ? overlapOf(this.#plan) : 0;
    for (const { number, ...range } of rangesOf(failed, { before, behind })) {
      const reason = this.#context.disclosure.mask(range.reason);
      const blocked = range.from <= range.to ? [{ ...range, reason }] : [];
      this.#keep({ ...nothingOf(number), blocked }, new Uint32Array());
    }
  }

  #keep(page: PageResult, added: Uint32Array): void {
    this.#journal?.page(page, added);
    this.#tally.add(page);
    this.#freeing.add(page.held);
  }

  #done() {
    const { judged, violations } = this.#tally;
    const { sample, records } = this.#plan ?? {};
    return {
      noun: this.#list.noun,
      records: judged,
      of: sample?.by === 'records' ? sample.drawn : records,
      violations,
    };
  }
}
