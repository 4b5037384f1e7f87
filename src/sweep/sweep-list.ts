import { randomUUID } from 'node:crypto';
import type { Operation } from '../../schemas/contract/contract.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { BrokenRequirement } from '../../schemas/judge/judged.ts';
import type { Shard, Target } from '../client/target.ts';
import { maxShapes, type SweptList } from '../operations/operation-file.ts';
import { type Arguments, readValues } from '../operations/request.ts';
import { Session } from '../operations/session.ts';
import { buildCurlCommand } from '../redact/curl.ts';
import type { Observation } from '../redact/observation.ts';
import { confirmAll } from '../relations/confirm.ts';
import { Relations } from '../relations/relations.ts';
import { type Seen, shownBy } from '../relations/shown.ts';
import {
  createPageRequest,
  isBrokenPage,
  type ListSource,
  listPageRequests,
  type PageRequest,
  PagingError,
  planList,
  type ReceivedPage,
  requestPage,
  type SweepPlan,
  splitIntoBatches,
} from './paging.ts';
import { countShardItems, isFirstShard, isOwn } from './shards.ts';
import { addBroken, addCounts, formatShard, maxPlaces } from './summary.ts';
import {
  applyPlan,
  createHashKey,
  filterViolations,
  Sweep,
  type SweepContext,
  type SweptLine,
} from './sweep.ts';
import { createSweptPage, type SweptPage, summarizeSharedKeys } from './uniqueness.ts';

/** Places of the list that a page lacks: `failed` if the request failed, `short` if the page has fewer records than expected. */
type MissingPlaces = Pick<SweptLine, 'failed' | 'short'>;

/** Maximum number of incomplete pages before a sweep stops: 100, or a tenth of the shard's pages if that is more. */
const [maxIncomplete, maxIncompleteShare] = [100, 0.1];

/** Sweep of a list: requests all pages, or a random sample, and judges each record once. */
export class ListSweep extends Sweep implements ListSource {
  readonly operation: Operation;
  readonly list: SweptList;
  readonly #relations: Relations<SweptPage>;
  /** Parameters of the first page with a record of each shape (which fields of which types), keyed by the hash of the shape. */
  readonly #shapes = new Map<string, Arguments>();
  #plan: SweepPlan | undefined;

  constructor(context: SweepContext, operation: Operation, list: SweptList) {
    const { pointer } = list;
    const uniqueRules = operation.rules.filter(
      ({ check }) => 'unique' in check && check.unique.startsWith(`${pointer}/*/`),
    );
    super(context, {
      operation: operation.id,
      noun: list.noun,
      journal: operation.id,
      list: { pointer, between: uniqueRules.map((rule) => formatRuleAddress(operation.id, rule)) },
      mode: context.target.sweep === 'all' ? 'all' : 'sample',
    });
    this.operation = operation;
    this.list = list;
    this.#relations = new Relations([operation], { secret: createHashKey(context) });
  }

  /** Sweeps the list, or resumes the sweep of the journal. A list whose pages cannot be followed ends the sweep with a reason. */
  async run(): Promise<void> {
    await this.open((line) => this.#replay(line));
    try {
      await this.#follow(this.#plan ?? (await this.#createPlan()));
    } catch (error) {
      if (!(error instanceof PagingError)) throw error;
      this.stopAt(0, error.message);
      this.context.progress.say(`sweep: the list of ${this.list.noun} cannot be followed: ${error.message}`);
    } finally {
      this.close();
    }
  }

  /** Restores plan, shapes and records from a line of an earlier run. */
  #replay({ plan, request, shapes = [], shown: records = [] }: SweptLine): void {
    if (plan) this.#setPlan(plan);
    if (!request) return;
    this.#addShapes(shapes, request);
    this.#relations.replay(this.operation, records, this.#createSweptPage(request));
  }

  /** Plans the sweep, and adds the plan to the journal, with the observations of broken pages that planning has requested. */
  async #createPlan(): Promise<SweepPlan> {
    const { context, operation, list } = this;
    const brokenPages: Observation[] = [];
    const onBroken = (observation: Observation) => brokenPages.push(observation);
    let plan: SweepPlan | undefined;
    try {
      plan = await planList({ context, operation, list, onBroken });
      return this.#setPlan(plan);
    } finally {
      // Every shard requests the end of the list, and only the first shard reports what is broken there.
      const observations = isFirstShard(context.target) ? brokenPages : [];
      this.add({ number: -1, ...(plan ? { plan } : {}), observations });
    }
  }

  /** Follows a plan from now on, and adds it to the result. */
  #setPlan(plan: SweepPlan): SweepPlan {
    applyPlan(this.result, plan);
    this.#plan = plan;
    return plan;
  }

  /**
   * Judges all pages of the plan, requests the incomplete ones again, then judges pages by which the list has grown, confirms
   * shared keys, and looks up a record of each shape. A step that stops the sweep is the last one.
   */
  async #follow(plan: SweepPlan): Promise<void> {
    const { result, done, list } = this;
    const { progress, target } = this.context;
    progress.say(formatSweepAnnouncement(plan, list, target, done.size));
    await this.#judgePages(plan);
    if (result.stopped === undefined) await this.#judgePages(plan, true);
    if (result.stopped === undefined && !plan.sample) await this.#judgeGrownList(plan);
    if (result.stopped === undefined) await this.#confirmSharedKeys();
    if (result.stopped === undefined) await this.#lookUpShapes();
    if (plan.open) result.failed.push({ from: plan.counted + 1, to: undefined, reason: plan.open });
    this.#showProgress(plan);
  }

  /**
   * Requests and judges the pages of the plan that are not in the journal. The first pass leaves incomplete pages out, so that the
   * second one (`isRetry`) requests them again and adds them even if they are still incomplete.
   */
  async #judgePages(plan: SweepPlan, isRetry = false): Promise<void> {
    const { shard } = this.context.target;
    const max = Math.max(maxIncomplete, maxIncompleteShare * countShardItems(shard, plan.pages));
    let incompleteCount = 0;
    for (const requests of splitIntoBatches(listPageRequests(plan, shard, this.done))) {
      const pages = await Promise.all(requests.map((request) => requestPage(this, request)));
      for (const [index, request] of requests.entries()) {
        const page = pages[index] as ReceivedPage;
        const missing = findMissingPlaces(plan, request, page);
        if (missing) incompleteCount += 1;
        if (page.observation.notSent || incompleteCount > max) {
          const reason = page.failed ?? 'they are empty';
          return this.stopAt(request.position, `too many pages were not answered: ${reason}`);
        }
        if (!missing || isRetry) this.#addPage(request, page, missing);
        this.#showProgress(plan);
      }
    }
  }

  /**
   * Requests and judges pages after the last planned page, until a page is empty twice, because a list may grow during its sweep:
   * contract section 4.2 has no snapshot or cursor. Stops the sweep if the list does not end.
   */
  async #judgeGrownList(plan: SweepPlan): Promise<void> {
    const { shard } = this.context.target;
    for (let pageNumber = plan.pages; pageNumber <= 2 * plan.pages + maxGrowth; pageNumber += 1) {
      if (!isOwn(shard, pageNumber) || this.done.has(pageNumber)) continue;
      const request = createPageRequest(plan, pageNumber);
      let page = await requestPage(this, request);
      if (!page.records?.length) page = await requestPage(this, request);
      if (page.isRejected || page.records?.length === 0) return;
      this.#addPage(request, page, findMissingPlaces(plan, request, page));
      if (!page.records) return;
    }
    this.stopAt(this.result.places, 'the list grows faster than it is read');
  }

  /**
   * Compares the records of a page with earlier pages, and adds its counts to the result and the journal. A page without records
   * and violations has no line in the journal, so that a resumed sweep requests the page again.
   */
  #addPage(request: PageRequest, page: ReceivedPage, missing?: MissingPlaces): void {
    const { list } = this;
    const { judged: judgement, observation, records = [] } = page;
    if (!judgement || (records.length === 0 && !isBrokenPage(page))) {
      addCounts(this.result, missing ?? {});
      return;
    }
    const related = this.#relations.see(this.#createComparable(this.#createSweptPage(request), page));
    const shapes = this.#addShapes(list.shapes(judgement.body).map(this.#relations.hashOf), request);
    this.add({
      ...missing,
      number: request.number,
      request,
      pages: 1,
      places: request.position + records.length,
      judged: records.length - related.repeated,
      repeated: related.repeated,
      broken: countBrokenRecords(list, filterViolations(this.context, judgement), request.position),
      observations: [{ ...observation, exercised: { ...observation.exercised, ...related.kept } }],
      shown: related.shown,
      ...(shapes.length > 0 ? { shapes } : {}),
    });
  }

  /**
   * Requests pages again whose records seem to share a key, and adds what is confirmed to the result. The journal has no line for
   * this, so that a resumed sweep confirms again.
   */
  async #confirmSharedKeys(): Promise<void> {
    const { context } = this;
    const repeat = async (page: SweptPage) =>
      this.#createComparable(page, await requestPage(this, page.request));
    const { isMock } = context.target;
    const { confirmed } = await confirmAll(this.#relations, repeat, { isMock });
    const { broken, observations } = summarizeSharedKeys(confirmed, context.entries);
    addCounts(this.result, { broken });
    for (const observation of observations) context.totals.add(observation);
  }

  /** Stores the page of each new shape, up to `maxShapes.swept` in all. @returns the hashes of the stored shapes */
  #addShapes(shapes: string[], { limit, offset }: PageRequest): string[] {
    const room = maxShapes.swept - this.#shapes.size;
    const newShapes = shapes.filter((shape) => !this.#shapes.has(shape)).slice(0, room);
    for (const shape of newShapes) this.#shapes.set(shape, this.list.page(limit, offset));
    return newShapes;
  }

  /** Looks up a record of each shape (contract section 4.3), judged like the lookups of an ordinary run. */
  async #lookUpShapes(): Promise<void> {
    const { operation, list } = this;
    const pages = [...this.#shapes.values()];
    const session = new Session(this.context, randomUUID());
    const observations = await session.lookUp(operation.id, (context) => list.samples(context, pages));
    // Adds violations only, so that shards and a resumed sweep have the same sums. The pages were judged before.
    for (const observation of observations)
      if (observation.findings.length > 0) this.context.totals.add(observation);
  }

  #createSweptPage(request: PageRequest): SweptPage {
    const { operation, list } = this;
    return createSweptPage(operation, list, { request }, buildCurlCommand(this.context.target));
  }

  /** Returns a page in the form that the rules between responses compare. */
  #createComparable(source: SweptPage, { judged: judgement }: ReceivedPage): Seen<SweptPage> {
    const { operation, list } = this;
    const parameters = readValues(list.page(source.request.limit, source.request.offset));
    return { operation, parameters, ...shownBy(operation, judgement), source };
  }

  #showProgress(plan: SweepPlan): void {
    this.show(this.result.judged, estimateRecords(plan, this.context.target.shard));
  }
}

/** Estimates how many records the sweep of a shard judges, for the progress. */
function estimateRecords(
  { sample, size, counted: total, pages }: SweepPlan,
  shard: Shard | undefined,
): number {
  if (sample) return countShardItems(shard, sample.drawn) * (sample.by === 'records' ? 1 : size);
  return Math.min(total, countShardItems(shard, pages) * size);
}

/** Formats the line that announces a sweep: "sweep: 950 customers, pages of 100: 10 more requests". */
function formatSweepAnnouncement(
  plan: SweepPlan,
  { noun }: SweptList,
  { shard, resume }: Target,
  doneCount: number,
): string {
  const { sample, size, pages } = plan;
  const remaining = Math.max(0, countShardItems(shard, sample?.drawn ?? pages) - doneCount);
  const [units, pageSize] =
    sample?.by === 'records' ? [noun, ''] : [`pages of ${noun}`, `, pages of ${formatNumber(size)}`];
  const extent = sample
    ? `${formatNumber(sample.drawn)} ${units} at random of ${formatNumber(sample.of)} (seed ${sample.seed})`
    : `${formatNumber(plan.counted)} ${noun}`;
  const fromStart = resume ? '; from the first one, since REPORTS_DIR has none of an earlier run' : '';
  const start = doneCount > 0 ? `; going on after ${formatCount(doneCount, 'page')}` : fromStart;
  return `sweep: ${extent}${pageSize}: ${formatCount(remaining, 'more request')}${formatShard(shard)}${start}`;
}

/** Number of pages by which a list may grow during its sweep, in addition to doubling. */
const maxGrowth = 10;

/** Returns the places of a page where the plan expects records and the page has none; undefined if the page is complete. */
function findMissingPlaces(
  { counted: total }: SweepPlan,
  { position, limit }: PageRequest,
  page: ReceivedPage,
): MissingPlaces | undefined {
  const { records = [], failed, isRejected } = page;
  if (!page.records && !isRejected)
    return { failed: [{ from: position + 1, to: position + limit, reason: failed ?? '' }] };
  const expected = Math.min(limit, total - position);
  if (records.length >= expected) return undefined;
  const reason =
    failed ?? `the page shows ${formatNumber(records.length)} of ${formatCount(expected, 'record')}`;
  return { short: [{ from: position + records.length + 1, to: position + expected, reason }] };
}

/**
 * Counts the broken records of a page, keyed by requirement, with the places of the first ones in the list. Leaves out requirements
 * that no record of the list breaks.
 * @param position index of the page's first record in the list, from 0
 */
function countBrokenRecords(
  { pointer }: SweptList,
  broken: BrokenRequirement[],
  position: number,
): NonNullable<SweptLine['broken']> {
  const sums: NonNullable<SweptLine['broken']> = {};
  for (const { requirement, records, first } of broken) {
    const pointers = first.map((place) => place.pointer).filter((text) => text.startsWith(`${pointer}/`));
    const indices = new Set(pointers.map((text) => Number.parseInt(text.slice(pointer.length + 1), 10)));
    if (indices.size === 0) continue;
    const places = [...indices].slice(0, maxPlaces).map((index) => position + index + 1);
    addBroken(sums, requirement, { records, first: places, pages: 1 });
  }
  return sums;
}
