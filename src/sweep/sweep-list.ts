import { randomUUID } from 'node:crypto';
import type { Operation } from '../../schemas/contract/contract.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { BrokenRequirement, Violation } from '../../schemas/judge/judged.ts';
import type { Shard, Target } from '../client/target.ts';
import { maxShapes, type SweptList } from '../operations/operation-file.ts';
import { type Arguments, readValues } from '../operations/request.ts';
import { Session } from '../operations/session.ts';
import { buildCurlCommand } from '../redact/curl.ts';
import type { Observation } from '../redact/observation.ts';
import { type ComparableResponse, getComparableContent } from '../relations/comparable.ts';
import { concludeContradictions } from '../relations/confirm.ts';
import { Relations } from '../relations/relations.ts';
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
import { belongsToShard, countShardItems, isFirstShard } from './shards.ts';
import { addBroken, addSweptCounts, formatShard, maxPlaces, type SweptCounts } from './summary.ts';
import {
  applyPlan,
  createHashKey,
  filterViolations,
  Sweep,
  type SweepContext,
  type SweptLine,
} from './sweep.ts';
import { createSweptPage, type SweptPage, summarizeContradictions } from './uniqueness.ts';

/** Range of records that a page lacks: `failed` if the response has no list, `short` if its list has too few records. */
type MissingRecords = Pick<SweptLine, 'failed' | 'short'>;

/** A sweep tolerates this many pages that failed or were too short: 100, or a tenth of the planned pages, whichever is larger. */
const maxIncomplete = { pages: 100, share: 0.1 };

/** Sweeps a list (`SWEEP`): requests all of its pages, or a random sample, and judges each record once. */
export class ListSweep extends Sweep implements ListSource {
  readonly operation: Operation;
  readonly list: SweptList;
  readonly #relations: Relations<SweptPage>;
  /** Parameters of the first page that showed a record shape (names and types of fields), keyed by hash of the shape. */
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

  /** Sweeps the list. If planning shows that the list cannot be swept (`PagingError`), prints the reason and stores it in the result. */
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

  #replay({ plan, request, shapes = [], shown: records = [] }: SweptLine): void {
    if (plan) this.#setPlan(plan);
    if (!request) return;
    this.#addShapes(shapes, request);
    this.#relations.replay(this.operation, records, this.#createSweptPage(request));
  }

  /** Plans the sweep, and adds a line with the plan to the journal. If planning fails, the line still has the broken pages received. */
  async #createPlan(): Promise<SweepPlan> {
    const { context, operation, list } = this;
    const brokenPages: Observation[] = [];
    const onBrokenPage = (observation: Observation) => brokenPages.push(observation);
    let plan: SweepPlan | undefined;
    try {
      plan = await planList({ context, operation, list, onBrokenPage });
      return this.#setPlan(plan);
    } finally {
      // Every shard requests the end of the list, and only the first shard reports what is broken there.
      const observations = isFirstShard(context.target) ? brokenPages : [];
      this.add({ number: -1, ...(plan ? { plan } : {}), observations });
    }
  }

  #setPlan(plan: SweepPlan): SweepPlan {
    applyPlan(this.result, plan);
    this.#plan = plan;
    return plan;
  }

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
   * Judges the planned pages that are not in the journal. Stops if the target no longer responds, or after too many incomplete
   * pages (`maxIncomplete`).
   * @param addsIncomplete whether incomplete pages are added to the journal; if not, a second call requests them again
   */
  async #judgePages(plan: SweepPlan, { addsIncomplete }: { addsIncomplete: boolean }): Promise<void> {
    const { shard } = this.context.target;
    const maxIncompletePages = Math.max(
      maxIncomplete.pages,
      maxIncomplete.share * countShardItems(shard, plan.pages),
    );
    let incompleteCount = 0;
    for (const requests of splitIntoBatches(listPageRequests(plan, shard, this.done))) {
      const pages = await Promise.all(requests.map((request) => requestPage(this, request)));
      for (const [index, request] of requests.entries()) {
        const page = pages[index] as ReceivedPage;
        const missing = findMissingRecords(plan, request, page);
        if (missing) incompleteCount += 1;
        if (page.observation.notSent || incompleteCount > maxIncompletePages) {
          const reason = page.failureReason ?? 'they are empty';
          return this.stopAt(request.position, `too many pages got no usable response: ${reason}`);
        }
        if (!missing || addsIncomplete) this.#addPage(request, page, missing);
        this.#showProgress(plan);
      }
    }
  }

  /**
   * Judges pages after the planned end, because the list may have grown: the contract has no snapshot and no cursor (section
   * 4.2). Requests at most as many pages as were planned, and `maxGrowth` more.
   */
  async #judgeGrownList(plan: SweepPlan): Promise<void> {
    const { shard } = this.context.target;
    for (let pageNumber = plan.pages; pageNumber <= 2 * plan.pages + maxGrowth; pageNumber += 1) {
      if (!belongsToShard(shard, pageNumber) || this.done.has(pageNumber)) continue;
      const request = createPageRequest(plan, pageNumber);
      let page = await requestPage(this, request);
      // The first response may be a temporary error, or come from a replica that lags behind.
      if (!page.records?.length) page = await requestPage(this, request);
      if (page.isNonexistent || page.records?.length === 0) return;
      this.#addPage(request, page, findMissingRecords(plan, request, page));
      if (!page.records) return;
    }
    this.stopAt(this.result.places, 'the list grows faster than it is read');
  }

  /**
   * Compares the records of a page with those of earlier pages, and adds the page to the journal. Leaves a page that has neither
   * records nor violations out of the journal, so that a resumed sweep requests it again.
   */
  #addPage(request: PageRequest, page: ReceivedPage, missing?: MissingRecords): void {
    const { list } = this;
    const { judged: judgement, observation, records = [] } = page;
    if (!judgement || (records.length === 0 && !isBrokenPage(page))) {
      addSweptCounts(this.result, missing ?? {});
      return;
    }
    const comparison = this.#relations.compareAndStore(
      this.#createComparable(this.#createSweptPage(request), page),
    );
    const shapes = this.#addShapes(list.shapes(judgement.body).map(this.#relations.hashText), request);
    this.add({
      ...missing,
      number: request.number,
      request,
      pages: 1,
      places: request.position + records.length,
      judged: records.length - comparison.duplicates,
      repeated: comparison.duplicates,
      broken: countBrokenRecords(list, filterViolations(this.context, judgement), request.position),
      observations: [{ ...observation, exercised: { ...observation.exercised, ...comparison.ruleCounts } }],
      shown: comparison.records,
      ...(shapes.length > 0 ? { shapes } : {}),
    });
  }

  /**
   * Requests pages again that list two records with one key, such as a `uuid`, to see whether they still do. The journal does not
   * record this, so that a resumed sweep does it again.
   */
  async #confirmSharedKeys(): Promise<void> {
    const { context } = this;
    const repeat = async (page: SweptPage) =>
      this.#createComparable(page, await requestPage(this, page.request));
    const { isMock } = context.target;
    const { concluded } = await concludeContradictions(this.#relations, repeat, { isMock });
    const { broken, observations } = summarizeContradictions(concluded, context.entries);
    addSweptCounts(this.result, { broken });
    for (const observation of observations) context.totals.add(observation);
  }

  /** Stores new record shapes, each with the parameters of the page, up to `maxShapes.swept` in all. Returns the new shapes. */
  #addShapes(shapes: string[], { limit, offset }: PageRequest): string[] {
    const room = maxShapes.swept - this.#shapes.size;
    const newShapes = shapes.filter((shape) => !this.#shapes.has(shape)).slice(0, room);
    for (const shape of newShapes) this.#shapes.set(shape, this.list.createPageArguments(limit, offset));
    return newShapes;
  }

  /** Looks up one record of each record shape by its identifier, and judges the responses (contract section 4.3). */
  async #lookUpShapes(): Promise<void> {
    const { operation, list } = this;
    const pages = [...this.#shapes.values()];
    const session = new Session(this.context, randomUUID());
    const observations = await session.lookUp(operation.id, list, pages);
    // Lookups without findings would make the sums depend on shards and resumed runs; the pages were judged before.
    for (const observation of observations)
      if (observation.findings.length > 0) this.context.totals.add(observation);
  }

  #createSweptPage(request: PageRequest): SweptPage {
    const { operation, list } = this;
    return createSweptPage(operation, list, { request }, buildCurlCommand(this.context.target));
  }

  #createComparable(source: SweptPage, { judged: judgement }: ReceivedPage): ComparableResponse<SweptPage> {
    const { operation, list } = this;
    const parameters = readValues(list.createPageArguments(source.request.limit, source.request.offset));
    return { operation, parameters, ...getComparableContent(operation, judgement), source };
  }

  #showProgress(plan: SweepPlan): void {
    this.show(this.result.judged, estimateRecords(plan, this.context.target.shard));
  }
}

function estimateRecords(
  { sample, size, counted: total, pages }: SweepPlan,
  shard: Shard | undefined,
): number {
  if (!sample) return Math.min(total, countShardItems(shard, pages) * size);
  const recordsPerDraw = sample.by === 'records' ? 1 : size;
  return countShardItems(shard, sample.drawn) * recordsPerDraw;
}

/**
 * Formats "sweep: 950 customers, pages of 100: 10 more requests", or for a random sample "sweep: 500 customers at random of 10,000
 * (seed 42): 500 more requests".
 * @param doneCount number of pages in the journal of an earlier run
 */
function formatSweepAnnouncement(
  plan: SweepPlan,
  { noun }: SweptList,
  { shard, resume }: Target,
  doneCount: number,
): string {
  const { sample, size, pages } = plan;
  const drawsRecords = sample?.by === 'records';
  const drawnNoun = drawsRecords ? noun : `pages of ${noun}`;
  const pageSizeText = drawsRecords ? '' : `, pages of ${formatNumber(size)}`;
  const extent = sample
    ? `${formatNumber(sample.drawn)} ${drawnNoun} at random of ${formatNumber(sample.of)} (seed ${sample.seed})`
    : `${formatNumber(plan.counted)} ${noun}`;
  let startNote = '';
  if (doneCount > 0) startNote = `; continues after ${formatCount(doneCount, 'page')}`;
  else if (resume) startNote = '; begins anew, because REPORTS_DIR has no journal of an earlier run';
  const plannedCount = countShardItems(shard, sample?.drawn ?? pages);
  const remainingCount = Math.max(0, plannedCount - doneCount);
  return `sweep: ${extent}${pageSizeText}: ${formatCount(remainingCount, 'more request')}${formatShard(shard)}${startNote}`;
}

const maxGrowth = 10;

function findMissingRecords(
  { counted: total }: SweepPlan,
  { position, limit }: PageRequest,
  page: ReceivedPage,
): MissingRecords | undefined {
  const { records, failureReason, isNonexistent } = page;
  const isUnreadable = !records && !isNonexistent;
  if (isUnreadable)
    return { failed: [{ from: position + 1, to: position + limit, reason: failureReason ?? '' }] };
  const shownCount = records?.length ?? 0;
  const expectedCount = Math.min(limit, total - position);
  if (shownCount >= expectedCount) return undefined;
  const shownText = `the page shows ${formatNumber(shownCount)} of ${formatCount(expectedCount, 'record')}`;
  const reason = failureReason ?? shownText;
  return { short: [{ from: position + shownCount + 1, to: position + expectedCount, reason }] };
}

/**
 * Counts the records of a page that violate a requirement, keyed by its address. Leaves out violations outside of the list, such
 * as of `code` in the envelope.
 * @param position index in the list, from 0, of the first record on the page
 */
function countBrokenRecords(
  { pointer }: SweptList,
  brokenRequirements: BrokenRequirement[],
  position: number,
): SweptCounts['broken'] {
  const brokenByAddress: SweptCounts['broken'] = {};
  for (const { requirement, elementCount, listedViolations } of brokenRequirements) {
    // Only the first violations are listed, so `elementCount` may be larger than the number of these indices.
    const indices = new Set(
      listedViolations.flatMap((violation) => findRecordIndex(pointer, violation) ?? []),
    );
    if (indices.size === 0) continue;
    const positions = [...indices].slice(0, maxPlaces).map((index) => position + index + 1);
    addBroken(brokenByAddress, requirement, { records: elementCount, first: positions, pages: 1 });
  }
  return brokenByAddress;
}

/** Returns 3 for a violation at `/data/customers/3/uuid`. Undefined if the violation is outside of the list. */
function findRecordIndex(listPointer: string, { pointer }: Pick<Violation, 'pointer'>): number | undefined {
  const listPrefix = `${listPointer}/`;
  return pointer.startsWith(listPrefix) ? Number.parseInt(pointer.slice(listPrefix.length), 10) : undefined;
}
