import type { Operation } from '../../schemas/contract/contract.ts';
import { RegularFreeing } from '../../schemas/free-memory.ts';
import { forgetReadings } from '../../schemas/json/read.ts';
import type { SweptList } from '../exchanges/session.ts';
import { type AskedPage, AskedPages } from './asked-pages.ts';
import { headOf, type SweepContext } from './context.ts';
import { Journal } from './journal/journal.ts';
import { PageStep } from './pages/page-step.ts';
import { Sightings } from './pages/sightings.ts';
import { blockedPages, type FailedPage, Failures, failedPage, failuresOf } from './paging/failures.ts';
import { ListClient, type PageAnswer } from './paging/list-client.ts';
import { ListEnd } from './paging/list-end.ts';
import { type ListPlan, overlapOf, pagingOf, planList, recordCountOf, sampleOf } from './paging/list-plan.ts';
import { isOwn } from './paging/paging.ts';
import { leftOut } from './paging/short-pages.ts';
import { ListProgress } from './progress/list-progress.ts';
import { resultOf } from './results/list-result.ts';
import type { Swept } from './results/result.ts';
import { type PageResult, Tally } from './results/tally.ts';
import { SweepRequests } from './sweep-requests.ts';

/** Node.js by itself would keep the bodies of more records. */
const recordsBetweenCollections = 120_000;

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
  readonly #tally: Tally;
  readonly #sightings = new Sightings();
  #failures = new Failures();
  readonly #freeing = new RegularFreeing(recordsBetweenCollections);
  readonly #requests: SweepRequests;
  readonly #progress: ListProgress;
  #journal: Journal | undefined;
  #plan: ListPlan | undefined;
  #pages: AskedPages | undefined;
  #stopped: string | undefined;
  #ended = false;
  #isEndShown = false;
  #earlierRequests = 0;

  constructor(context: SweepContext, operation: Operation, list: SweptList) {
    this.#requests = new SweepRequests(context.client);
    this.#context = { ...context, client: this.#requests.client };
    this.#operation = operation;
    this.#list = list;
    this.#tally = new Tally(context.contract.operations);
    this.#progress = new ListProgress(this.#context, list, this.#tally);
  }

  close(): void {
    this.#journal?.close();
  }

  async run(): Promise<Swept> {
    const first = this.#resume() ? undefined : await this.#begin();
    if (this.#plan && !this.#ended) {
      this.#progress.begin(this.#plan, first?.tookMs);
      await this.#follow(this.#plan, this.#plan.sample ? undefined : first);
      this.#progress.end();
    }
    const [ended, isEndShown] = [this.#ended, this.#isEndShown];
    this.#journal?.stop({ end: ended, isEndShown, requests: this.#requests.takeAtEnd() });
    const state = { plan: this.#plan, tally: this.#tally, ended, isEndShown, stopped: this.#stopped };
    const { part, ordinary } = this.#context;
    const swept = { operation: this.#operation, list: this.#list, part };
    const result = resultOf({ ...state, ...swept, listed: ordinary?.count(this.#operation.id) });
    return { result, observations: this.#tally.observations(), earlierRequests: this.#earlierRequests };
  }

  /** Goes on with what an earlier run has left. */
  #resume(): boolean {
    const { id } = this.#operation;
    const take = (page: PageResult) => {
      this.#tally.add(page);
      this.#sightings.addKnown(page);
    };
    const { journal, earlier } = Journal.open(this.#context.target, id, headOf(this.#context, id), take);
    this.#journal = journal;
    this.#earlierRequests = this.#tally.requests + (earlier?.requests ?? 0);
    if (earlier?.start === undefined) return false;
    [this.#plan, this.#ended] = [earlier.start as ListPlan, earlier.ended];
    this.#isEndShown = earlier.isEndShown;
    this.#sightings.restore(earlier.prints, this.#tally.last);
    return true;
  }

  async #begin(): Promise<PageAnswer | undefined> {
    const planned = await planList(this.#client, sampleOf(this.#context.target));
    if ('problem' in planned) {
      this.#stop(planned.problem);
      this.#progress.giveUp(this.#stopped);
      return undefined;
    }
    this.#plan = planned.plan;
    const isTakenLater = !planned.plan.sample && isOwn(this.#context.part, 0);
    this.#journal?.start(planned.plan, this.#requests.takeAtStart(isTakenLater ? 1 : 0));
    return planned.first;
  }

  async #follow(plan: ListPlan, first: PageAnswer | undefined): Promise<void> {
    const [step, end] = [this.#step(plan), new ListEnd(this.#client, plan, this.#tally)];
    this.#failures = failuresOf(plan, this.#context.part);
    this.#sightings.reserve(recordCountOf(plan, this.#context.part) ?? 0);
    this.#pages = new AskedPages(plan, this.#context.part, this.#requests, this.#clientOver);
    const pages = this.#pages.inOrder(() => this.#tally.next, first, end);
    for await (const page of pages) {
      if (await this.#isLast(plan, step, end, page)) return;
      if (page.answer.answer) forgetReadings(page.answer.answer.body);
      this.#progress.update();
    }
    this.#keepBlocked(await end.settleLast(this.#failures));
    this.#ended = !this.#stop(plan.hidden);
  }

  get #client(): ListClient {
    return this.#clientOver(this.#requests.client);
  }

  readonly #clientOver = (client: SweepContext['client']) =>
    new ListClient(this.#operation, this.#list, client, this.#context.patience).counting(this.#plan?.paging);

  #step(plan: ListPlan): PageStep {
    const { part, entries, target, curl } = this.#context;
    const tolerates = target.profile === 'observed';
    const rules = { operation: this.#operation, pointer: this.#list.pointer, tolerates, entries, curl, part };
    const seen = { sightings: this.#sightings, tally: this.#tally, client: this.#client };
    return new PageStep(this.#context, rules, this.#list, pagingOf(plan), seen);
  }

  /** Takes a page. @returns whether it is the last one */
  async #isLast(
    plan: ListPlan,
    step: PageStep,
    end: ListEnd,
    { request, answer: page, requests }: AskedPage,
  ): Promise<boolean> {
    end.pages.note(request, page);
    const failed = await failedPage(step, plan, request, page);
    if (!failed) this.#keepBlocked(this.#failures.settle(), this.#context.part ? 0 : overlapOf(plan));
    if (failed) return this.#isLastFailed(end, { ...failed, requests });
    const { result, sorted } = await step.take(request, page);
    this.#keep({ ...leftOut(plan, request, result.held), ...result, requests }, sorted.added);
    this.#ended = end.isGrownEnd(request, result);
    return this.#ended || this.#stop(end.stopAt(result, sorted));
  }

  async #isLastFailed(end: ListEnd, failed: FailedPage): Promise<boolean> {
    this.#failures.add(failed);
    const found = await end.decide(this.#failures, failed);
    this.#isEndShown = found === 'end' && end.isShown;
    if (found === 'grown') {
      this.#failures.settle();
      this.#pages?.requestAnew();
    }
    return found !== 'hole' && found !== 'grown' && this.#leaveAt(found, end);
  }

  /** @returns whether there is a reason to */
  #stop(reason: string | undefined): boolean {
    if (reason !== undefined) this.#stopped = this.#context.disclosure.maskReason(reason);
    return reason !== undefined;
  }

  #leaveAt(found: 'end' | { stopped: string }, { isShorter }: ListEnd): boolean {
    this.#ended = found === 'end';
    const settled = this.#ended ? this.#failures.settleAtEnd(isShorter) : this.#failures.settleJudged();
    this.#keepBlocked(settled, 0, false);
    return found === 'end' || this.#stop(found.stopped);
  }

  #keepBlocked(failed: FailedPage[], behind = 0, isSettled = true): void {
    const before = this.#plan ? overlapOf(this.#plan) : 0;
    const pages = blockedPages(failed, { before, behind }, this.#context.disclosure.maskReason);
    for (const page of pages) this.#keep(page, new Uint32Array(), isSettled && page === pages.at(-1));
  }

  #keep(page: PageResult, added: Uint32Array, isSettled = true): void {
    const requests = this.#requests.takeForPage(page.requests ?? 0, isSettled);
    this.#journal?.page({ ...page, requests }, added);
    this.#tally.add(page);
    this.#freeing.add(page.held);
  }
}
