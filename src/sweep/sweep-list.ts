import { randomUUID } from 'node:crypto';
import type { Operation } from '../../schemas/contract/contract.ts';
import { ruleAddress } from '../../schemas/contract/requirements.ts';
import { counted, number } from '../../schemas/counted.ts';
import type { Broken } from '../../schemas/judge/judged.ts';
import type { Shard, Target } from '../client/target.ts';
import { maxShapes, type SweptList } from '../operations/operation-file.ts';
import { type Arguments, valuesOf } from '../operations/request.ts';
import { Session } from '../operations/session.ts';
import { curlOf } from '../redact/curl.ts';
import type { Observation } from '../redact/observation.ts';
import { confirmAll } from '../relations/confirm.ts';
import { Relations } from '../relations/relations.ts';
import { type Seen, shownBy } from '../relations/shown.ts';
import {
  askPage,
  batchesOf,
  isBroken,
  type ListSource,
  type Page,
  type PageRequest,
  PagingError,
  type Plan,
  pageAt,
  planList,
  requestsOf,
} from './paging.ts';
import { countOwn, isFirstShard, isOwn } from './shards.ts';
import { addCounts, type BrokenRecords, maxPlaces, shardText, sumOfBroken } from './summary.ts';
import { applyPlan, brokenIn, Sweep, type SweepContext, type SweptLine, secretOf } from './sweep.ts';
import { type SweptPage, sharedKeys, sweptPage } from './uniqueness.ts';

/** Places that a page does not show: since it failed, or since the target says that there is nothing. */
type Lack = Pick<SweptLine, 'failed' | 'short'>;

/** Pages that lack something after which a sweep stops: so many, or this share of all, if that is more. */
const [maxLacking, maxLackingShare] = [100, 0.1];

/** Follows a list to its end, or looks at records of it that are drawn, and judges each of them once. */
export class ListSweep extends Sweep implements ListSource {
  readonly operation: Operation;
  readonly list: SweptList;
  readonly #relations: Relations<SweptPage>;
  /** For each form of a record, a page that shows it. */
  readonly #shapes = new Map<string, Arguments>();
  #plan: Plan | undefined;

  constructor(context: SweepContext, operation: Operation, list: SweptList) {
    const { pointer } = list;
    const unique = operation.rules.filter(
      ({ check }) => 'unique' in check && check.unique.startsWith(`${pointer}/*/`),
    );
    super(context, {
      ...{ operation: operation.id, noun: list.noun, journal: operation.id },
      list: { pointer, between: unique.map((rule) => ruleAddress(operation.id, rule)) },
      mode: context.target.sweep === 'all' ? 'all' : 'sample',
    });
    this.operation = operation;
    this.list = list;
    this.#relations = new Relations([operation], { secret: secretOf(context) });
  }

  async run(): Promise<void> {
    await this.open((line) => this.#replay(line));
    try {
      await this.#follow(this.#plan ?? (await this.#begin()));
    } catch (error) {
      if (!(error instanceof PagingError)) throw error;
      this.stopAt(0, error.message);
      this.context.progress.say(`sweep: the list of ${this.list.noun} cannot be followed: ${error.message}`);
    } finally {
      this.close();
    }
  }

  /** Takes what a line of an earlier run says. */
  #replay({ plan, request, shapes = [], shown = [] }: SweptLine): void {
    if (plan) this.#planned(plan);
    if (!request) return;
    this.#newShapes(shapes, request);
    this.#relations.replay(this.operation, shown, this.#sweptPage(request));
  }

  async #begin(): Promise<Plan> {
    const { context, operation, list } = this;
    const broken: Observation[] = [];
    const onBroken = (one: Observation) => broken.push(one);
    let plan: Plan | undefined;
    try {
      plan = await planList({ context, operation, list, onBroken });
      return this.#planned(plan);
    } finally {
      // Each shard asks where the list ends; one of them tells what is broken there.
      this.add({
        number: -1,
        ...(plan ? { plan } : {}),
        observations: isFirstShard(context.target) ? broken : [],
      });
    }
  }

  #planned(plan: Plan): Plan {
    applyPlan(this.result, plan);
    this.#plan = plan;
    return plan;
  }

  async #follow(plan: Plan): Promise<void> {
    const { result, done, list } = this;
    const { progress, target } = this.context;
    progress.say(announcement(plan, list, target, done.size));
    await this.#followPages(plan);
    if (result.stopped === undefined) await this.#followPages(plan, true);
    if (result.stopped === undefined && !plan.sample) await this.#followOn(plan);
    if (result.stopped === undefined) await this.#confirm();
    if (result.stopped === undefined) await this.#lookUp();
    if (plan.open) result.failed.push({ from: plan.counted + 1, to: undefined, reason: plan.open });
    this.#tell(plan);
  }

  /** Pages in their order; those that lack anything once more, `isAgain`, after which it is not known. */
  async #followPages(plan: Plan, isAgain = false): Promise<void> {
    const { shard } = this.context.target;
    const max = Math.max(maxLacking, maxLackingShare * countOwn(shard, plan.pages));
    let lacking = 0;
    for (const requests of batchesOf(requestsOf(plan, shard, this.done))) {
      const pages = await Promise.all(requests.map((request) => askPage(this, request)));
      for (const [at, request] of requests.entries()) {
        const page = pages[at] as Page;
        const lack = lackIn(plan, request, page);
        if (lack) lacking += 1;
        if (page.observation.notSent || lacking > max) {
          const reason = page.failed ?? 'they are empty';
          return this.stopAt(request.position, `too many pages were not answered: ${reason}`);
        }
        if (!lack || isAgain) this.#take(request, page, lack);
        this.#tell(plan);
      }
    }
  }

  /** A list that has grown goes on behind its last page, up to one that shows nothing, and is looked at twice. */
  async #followOn(plan: Plan): Promise<void> {
    const { shard } = this.context.target;
    for (let at = plan.pages; at <= 2 * plan.pages + maxGrown; at += 1) {
      if (!isOwn(shard, at) || this.done.has(at)) continue;
      const request = pageAt(plan, at);
      let page = await askPage(this, request);
      if (!page.records?.length) page = await askPage(this, request);
      if (page.isRejected || page.records?.length === 0) return;
      this.#take(request, page, lackIn(plan, request, page));
      if (!page.records) return;
    }
    this.stopAt(this.result.places, 'the list grows faster than it is read');
  }

  /** Takes a page, and holds its records against those before them. One that was not answered is requested anew where the sweep is resumed. */
  #take(request: PageRequest, page: Page, lack?: Lack): void {
    const { list } = this;
    const { judged, observation, records = [] } = page;
    if (!judged || (records.length === 0 && !isBroken(page))) {
      addCounts(this.result, lack ?? {});
      return;
    }
    const { kept, repeated, shown } = this.#relations.see(this.#seenIn(this.#sweptPage(request), page));
    const shapes = this.#newShapes(list.shapes(judged.body).map(this.#relations.hashOf), request);
    this.add({
      ...{ ...lack, number: request.number, request, pages: 1, places: request.position + records.length },
      ...{ judged: records.length - repeated, repeated },
      broken: brokenRecordsOf(list, brokenIn(this.context, judged), request.position),
      observations: [{ ...observation, exercised: { ...observation.exercised, ...kept } }],
      shown,
      ...(shapes.length > 0 ? { shapes } : {}),
    });
  }

  /** Records that seem to share a key are requested again. What is found is no part of the journal: it says so anew. */
  async #confirm(): Promise<void> {
    const { context } = this;
    const ask = async (page: SweptPage) => this.#seenIn(page, await askPage(this, page.request));
    const { isMock } = context.target;
    const { confirmed } = await confirmAll(this.#relations, ask, { isMock });
    const { broken, observations } = sharedKeys(confirmed, context.entries);
    addCounts(this.result, { broken });
    for (const observation of observations) context.totals.add(observation);
  }

  /** Keeps which page has shown a form first. @returns the forms that no page has shown before */
  #newShapes(shapes: string[], { limit, offset }: PageRequest): string[] {
    const room = maxShapes.swept - this.#shapes.size;
    const own = shapes.filter((shape) => !this.#shapes.has(shape)).slice(0, room);
    for (const shape of own) this.#shapes.set(shape, this.list.page(limit, offset));
    return own;
  }

  /** Of each form that the list has shown one record is looked up, by the rules of every run. */
  async #lookUp(): Promise<void> {
    const { operation, list } = this;
    const pages = [...this.#shapes.values()];
    const session = new Session(this.context, randomUUID());
    const observations = await session.lookUp(operation.id, (context) => list.samples(context, pages));
    // Only what is wrong, so that shards and a resumed sweep add up to the same. The pages themselves were judged before.
    for (const observation of observations)
      if (observation.findings.length > 0) this.context.totals.add(observation);
  }

  #sweptPage(request: PageRequest): SweptPage {
    const { operation, list } = this;
    return sweptPage(operation, list, { request }, curlOf(this.context.target));
  }

  /** A page, as the rules between responses read it. */
  #seenIn(source: SweptPage, { judged }: Page): Seen<SweptPage> {
    const { operation, list } = this;
    const parameters = valuesOf(list.page(source.request.limit, source.request.offset));
    return { operation, parameters, ...shownBy(operation, judged), source };
  }

  #tell(plan: Plan): void {
    this.show(this.result.judged, recordsOfShard(plan, this.context.target.shard));
  }
}

/** About how many records the share of a shard has. */
function recordsOfShard({ sample, size, counted: all, pages }: Plan, shard: Shard | undefined): number {
  if (sample) return countOwn(shard, sample.drawn) * (sample.by === 'records' ? 1 : size);
  return Math.min(all, countOwn(shard, pages) * size);
}

/** Says what a sweep is about to do. */
function announcement(plan: Plan, { noun }: SweptList, { shard, resume }: Target, done: number): string {
  const { sample, size, pages } = plan;
  const left = Math.max(0, countOwn(shard, sample?.drawn ?? pages) - done);
  const [units, length] =
    sample?.by === 'records' ? [noun, ''] : [`pages of ${noun}`, `, pages of ${number(size)}`];
  const what = sample
    ? `${number(sample.drawn)} ${units} at random of ${number(sample.of)} (seed ${sample.seed})`
    : `${number(plan.counted)} ${noun}`;
  const begun = resume ? '; from the first one, since REPORTS_DIR has none of an earlier run' : '';
  const after = done > 0 ? `; going on after ${counted(done, 'page')}` : begun;
  return `sweep: ${what}${length}: ${counted(left, 'more request')}${shardText(shard)}${after}`;
}

/** Pages by which a list may have grown meanwhile, beside as many as it had. */
const maxGrown = 10;

/** What a page lacks, as far as the list was seen to have it. */
function lackIn({ counted: all }: Plan, { position, limit }: PageRequest, page: Page): Lack | undefined {
  const { records = [], failed, isRejected } = page;
  if (!page.records && !isRejected)
    return { failed: [{ from: position + 1, to: position + limit, reason: failed ?? '' }] };
  const expected = Math.min(limit, all - position);
  if (records.length >= expected) return undefined;
  const reason = failed ?? `the page shows ${number(records.length)} of ${counted(expected, 'record')}`;
  return { short: [{ from: position + records.length + 1, to: position + expected, reason }] };
}

/** How many records of a page break a requirement, by its address, with the places of the first ones in the list. */
function brokenRecordsOf(
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
