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
import { type ComparableResponse, shownBy } from '../relations/shown.ts';
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

/** Ranges of records that a page lacks: in `failed` if there is no page, in `short` if it has fewer records than planned. */
type MissingPlaces = Pick<SweptLine, 'failed' | 'short'>;

/** Maximum number of incomplete pages before a sweep of a list stops: 100, or a tenth of the shard's pages if that is more. */
const [maxIncomplete, maxIncompleteShare] = [100, 0.1];

/** Sweep of a list (`SWEEP`): requests all of its pages, or a random sample of records or pages, and judges each record once. */
export class ListSweep extends Sweep implements ListSource {
  readonly operation: Operation;
  readonly list: SweptList;
  readonly #relations: Relations<SweptPage>;
  /** Parameters of the first page with a record of each shape (which fields have which types), keyed by the hash of the shape. */
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

  /**
   * Sweeps the list. With `RESUME`, continues the sweep that the journal of an earlier run holds. If the pages of the list cannot
   * be followed, ends the sweep with a reason and prints it.
   */
  async run(): Promise<void> {
    await this.open((line) => this.#replay(line));
    try {
      await this.#follow(this.#plan ?? (await this.#createPlan()));
    } catch (error) {
      if (!(error instanceof PagingError)) throw error;
      this.stopAt(0, error.message);
      this.context.progress.say(`sweep: the list of ${this.list.noun} cannot be read: ${error.message}`);
    } finally {
      this.close();
    }
  }

  /** Restores plan, shapes and records from a journal line of an earlier run, so that they are not requested again. */
  #replay({ plan, request, shapes = [], shown: records = [] }: SweptLine): void {
    if (plan) this.#setPlan(plan);
    if (!request) return;
    this.#addShapes(shapes, request);
    this.#relations.replay(this.operation, records, this.#createSweptPage(request));
  }

  /**
   * Plans the sweep of the list, and adds the plan to the journal. Adds the observations of broken pages that were requested for
   * the plan, even if planning fails; in shards, only the first shard adds them.
   */
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

  /** Stores the plan of the sweep, and copies its numbers to the result. Returns the plan. */
  #setPlan(plan: SweepPlan): SweepPlan {
    applyPlan(this.result, plan);
    this.#plan = plan;
    return plan;
  }

  /**
   * Carries out the plan: judges its pages, requests incomplete pages again, judges pages by which the list has grown, repeats
   * requests whose records seem to share a key, and looks up a record of each shape. A step that stops the sweep is the last one.
   */
  async #follow(plan: SweepPlan): Promise<void> {
    const { result, done, list } = this;
    const { progress, target } = this.context;
    progress.say(formatSweepAnnouncement(plan, list, target, done.size));
    await this.#judgePages(plan, { addsIncomplete: false });
    if (result.stopped === undefined) await this.#judgePages(plan, { addsIncomplete: true });
    if (result.stopped === undefined && !plan.sample) await this.#judgeGrownList(plan);
    if (result.stopped === undefined) await this.#confirmSharedKeys();
    if (result.stopped === undefined) await this.#lookUpShapes();
    if (plan.open) result.failed.push({ from: plan.counted + 1, to: undefined, reason: plan.open });
    this.#showProgress(plan);
  }

  /**
   * Requests and judges the pages of the plan that are not in the journal. Stops the sweep if too many pages are incomplete, or if
   * the target does not respond any more.
   * @param addsIncomplete false leaves incomplete pages out of the journal, so that a second call with true requests them again
   */
  async #judgePages(plan: SweepPlan, { addsIncomplete }: { addsIncomplete: boolean }): Promise<void> {
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
          return this.stopAt(request.position, `too many pages got no usable response: ${reason}`);
        }
        if (!missing || addsIncomplete) this.#addPage(request, page, missing);
        this.#showProgress(plan);
      }
    }
  }

  /**
   * Requests and judges pages after the last planned one, because a list may grow during its sweep: contract section 4.2 has no
   * snapshot and no cursor. Requests a page without records once more, and ends if it has none then either. Stops the sweep if the
   * list has more than doubled.
   */
  async #judgeGrownList(plan: SweepPlan): Promise<void> {
    const { shard } = this.context.target;
    for (let pageNumber = plan.pages; pageNumber <= 2 * plan.pages + maxGrowth; pageNumber += 1) {
      if (!isOwn(shard, pageNumber) || this.done.has(pageNumber)) continue;
      const request = createPageRequest(plan, pageNumber);
      let page = await requestPage(this, request);
      // The first response may be a temporary error, or come from a replica that lags behind.
      if (!page.records?.length) page = await requestPage(this, request);
      if (page.isRejected || page.records?.length === 0) return;
      this.#addPage(request, page, findMissingPlaces(plan, request, page));
      if (!page.records) return;
    }
    this.stopAt(this.result.places, 'the list grows faster than it is read');
  }

  /**
   * Compares the records of a page with those of earlier pages, and adds the page to the result and the journal. Of a page without
   * records and violations, adds only the missing ranges to the result: without a line in the journal, a resumed sweep requests it
   * again.
   */
  #addPage(request: PageRequest, page: ReceivedPage, missing?: MissingPlaces): void {
    const { list } = this;
    const { judged: judgement, observation, records = [] } = page;
    if (!judgement || (records.length === 0 && !isBrokenPage(page))) {
      addCounts(this.result, missing ?? {});
      return;
    }
    const related = this.#relations.compareAndStore(
      this.#createComparable(this.#createSweptPage(request), page),
    );
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
   * Requests pages again on which different records seem to share a key, such as `uuid`. Adds the confirmed violations to the
   * result, and a description of the confirmed and undecided ones to the totals. Adds nothing to the journal, so that a resumed
   * sweep confirms again.
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

  /**
   * Stores the parameters of a page under each record shape that no earlier page has shown, up to `maxShapes.swept` shapes in all.
   * @param shapes hashes of the shapes of the page's records
   * @returns the hashes of the new shapes
   */
  #addShapes(shapes: string[], { limit, offset }: PageRequest): string[] {
    const room = maxShapes.swept - this.#shapes.size;
    const newShapes = shapes.filter((shape) => !this.#shapes.has(shape)).slice(0, room);
    for (const shape of newShapes) this.#shapes.set(shape, this.list.page(limit, offset));
    return newShapes;
  }

  /**
   * Looks up one record of each shape by its identifier (contract section 4.3), and judges the responses like those of a run
   * without sweep. Adds only responses with findings to the totals.
   */
  async #lookUpShapes(): Promise<void> {
    const { operation, list } = this;
    const pages = [...this.#shapes.values()];
    const session = new Session(this.context, randomUUID());
    const observations = await session.lookUp(operation.id, (context) => list.samples(context, pages));
    // Lookups without findings would make the sums depend on shards and resumed runs; the pages were judged before.
    for (const observation of observations)
      if (observation.findings.length > 0) this.context.totals.add(observation);
  }

  #createSweptPage(request: PageRequest): SweptPage {
    const { operation, list } = this;
    return createSweptPage(operation, list, { request }, buildCurlCommand(this.context.target));
  }

  /** Converts a received page to the form in which the rules between responses compare it. */
  #createComparable(source: SweptPage, { judged: judgement }: ReceivedPage): ComparableResponse<SweptPage> {
    const { operation, list } = this;
    const parameters = readValues(list.page(source.request.limit, source.request.offset));
    return { operation, parameters, ...shownBy(operation, judgement), source };
  }

  #showProgress(plan: SweepPlan): void {
    this.show(this.result.judged, estimateRecords(plan, this.context.target.shard));
  }
}

/** Estimates how many records the sweep of a shard, or of a whole list, will judge, to show its progress. */
function estimateRecords(
  { sample, size, counted: total, pages }: SweepPlan,
  shard: Shard | undefined,
): number {
  if (!sample) return Math.min(total, countShardItems(shard, pages) * size);
  const recordsPerDraw = sample.by === 'records' ? 1 : size;
  return countShardItems(shard, sample.drawn) * recordsPerDraw;
}

/**
 * Formats the line that announces a sweep: "sweep: 950 customers, pages of 100: 10 more requests". For a random sample: "sweep: 500
 * customers at random of 10,000 (seed 42): 500 more requests".
 * @param doneCount number of pages that the journal of an earlier run holds
 */
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
  const startNote = resume ? '; begins anew, because REPORTS_DIR has no journal of an earlier run' : '';
  const start = doneCount > 0 ? `; continues after ${formatCount(doneCount, 'page')}` : startNote;
  return `sweep: ${extent}${pageSize}: ${formatCount(remaining, 'more request')}${formatShard(shard)}${start}`;
}

/** Number of pages by which a list may grow during its sweep, in addition to doubling. With more, the sweep stops. */
const maxGrowth = 10;

/**
 * Returns the ranges in which a page should have records by the plan, and has none: in `failed` if the response holds no list, in
 * `short` if the list is too short or the target says that there is no such page. Undefined if the page is complete.
 */
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
 * Counts the records of a page that break a requirement, keyed by the address of the requirement, with the places of the first such
 * records in the list. Leaves out requirements that something outside the list breaks, such as `code` of the envelope.
 * @param broken requirements that the page breaks
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
