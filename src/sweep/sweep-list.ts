import { randomUUID } from 'node:crypto';
import type { Operation } from '../../schemas/contract/contract.ts';
import { formatRuleAddress } from '../../schemas/contract/requirements.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import type { BrokenRequirement, Violation } from '../../schemas/judge/judged.ts';
import type { Shard, Target } from '../client/target.ts';
import { maxLookups, type SweptList } from '../operations/operation-file.ts';
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
import { belongsToShard, countShardItems } from './shards.ts';
import { addBroken, addSweptCounts, formatShard, maxPlaces, type SweptCounts } from './summary.ts';
import {
  applyPlan,
  createHashKey,
  createPageRange,
  describeDivision,
  filterViolations,
  Sweep,
  type SweepContext,
  type SweptLine,
} from './sweep.ts';
import { createSweptPage, type SweptPage, summarizeContradictions } from './uniqueness.ts';

/** Ranges of records that an unreadable page (`failedRanges`) or a page with too few records (`shortPageRanges`) lacks. */
type MissingRecords = Pick<SweptLine, 'failedRanges' | 'shortPageRanges'>;

/** A sweep stops if more than 100 pages, and more than a tenth of its planned pages, are incomplete. */
const maxIncomplete = { pages: 100, share: 0.1 };

/**
 * Sweep of a list, such as all customers. `SWEEP=all` requests and judges every page. A number such as `SWEEP=500` draws a random
 * sample of at least 500 records. If the sample would need the whole list, every page is requested and judged.
 */
export class ListSweep extends Sweep implements ListSource {
  readonly operation: Operation;
  readonly list: SweptList;
  readonly #relations: Relations<SweptPage>;
  /** Parameters of the first page that shows a record shape, keyed by the hash of the shape. Has at most `maxLookups.ofSweep`. */
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
    });
    this.operation = operation;
    this.list = list;
    this.#relations = new Relations([operation], { secret: createHashKey(context) });
  }

  /**
   * Sweeps the list. If the list cannot be swept, stores the reason in `result.stopped`.
   * @throws {JournalError} if `RESUME=1` would continue a sweep with other settings
   */
  async run(): Promise<void> {
    await this.open({ onLine: (line) => this.#replay(line) });
    try {
      const plan = this.#plan ?? (await this.#createPlan());
      await this.#sweepAsPlanned(plan);
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

  async #createPlan(): Promise<SweepPlan> {
    const { context, operation, list } = this;
    const brokenPages: Observation[] = [];
    const onBrokenPage = (observation: Observation) => brokenPages.push(observation);
    let plan: SweepPlan | undefined;
    try {
      plan = await planList({ context, operation, list, onBrokenPage });
      return this.#setPlan(plan);
    } finally {
      // Reports the violations on the requested pages, even if planning fails. All shards request the same pages to plan their sweep,
      // so only the first shard reports them. The number -1 marks no page as done.
      const observations = belongsToShard(context.target.shard, 0) ? brokenPages : [];
      this.add({ number: -1, ...(plan ? { plan } : {}), observations });
    }
  }

  #setPlan(plan: SweepPlan): SweepPlan {
    applyPlan(this.result, plan);
    this.#plan = plan;
    return plan;
  }

  async #sweepAsPlanned(plan: SweepPlan): Promise<void> {
    const { result, done, list } = this;
    const { progress, target } = this.context;
    progress.say(formatSweepAnnouncement(plan, list, target, done.size));
    // Pages that are incomplete at the first attempt are requested a second time.
    await this.#judgePages(plan, { isFinalAttempt: false });
    if (result.stopped === undefined) await this.#judgePages(plan, { isFinalAttempt: true });
    const isWholeList = !plan.sample;
    if (result.stopped === undefined && isWholeList) await this.#judgeGrownList(plan);
    if (result.stopped === undefined) await this.#confirmSharedIdentifiers();
    if (result.stopped === undefined) await this.#lookUpOneRecordOfEachShape();
    const { unknownEndReason: openEndReason } = plan;
    if (openEndReason) {
      // Pages after the planned end may have failed only while the sweep was planned.
      const lastKnown = Math.max(plan.populationSize, result.lastReceived);
      result.failedRanges.push({ from: lastKnown + 1, to: undefined, reason: openEndReason });
    }
    this.#showProgress(plan);
  }

  /**
   * Requests and judges the planned pages. Stops the sweep if too many pages are incomplete, or as soon as a request cannot be
   * sent.
   * @param isFinalAttempt false for the first attempt, which leaves incomplete pages to the final attempt
   */
  async #judgePages(plan: SweepPlan, { isFinalAttempt }: { isFinalAttempt: boolean }): Promise<void> {
    const { shard } = this.context.target;
    const maxIncompletePages = Math.max(
      maxIncomplete.pages,
      maxIncomplete.share * countPlannedPages(plan, shard),
    );
    // Ranges of the pages that are left to the final attempt. If the sweep stops before that, they count as not judged.
    const postponedRanges: SweptCounts['failedRanges'] = [];
    let incompleteCount = 0;
    for await (const { request, page } of this.#requestPages(plan)) {
      const missing = findMissingRecords(plan, request, page);
      if (missing) incompleteCount += 1;
      const mustStop = page.observation.notSent || incompleteCount > maxIncompletePages;
      if (mustStop) {
        const reason = `too many pages got no usable response: ${page.failureReason ?? 'they have too few records'}`;
        this.result.failedRanges.push(...postponedRanges);
        if (isFinalAttempt) return this.#stopFinalAttempt(plan, request, reason);
        return this.stopAt(request.position, reason);
      }
      const isPostponed = missing && !isFinalAttempt;
      if (isPostponed) postponedRanges.push(...this.#postpone(request, page, missing));
      else this.#addPage(request, page, missing);
      this.#showProgress(plan);
    }
  }

  #postpone(
    request: PageRequest,
    page: ReceivedPage,
    missing: MissingRecords,
  ): ReturnType<typeof listRangesOfPage> {
    // Reports violations now, because they may have vanished at the final attempt.
    if (isBrokenPage(page)) this.add({ number: -1, observations: [page.observation] });
    return listRangesOfPage(request, missing);
  }

  #stopFinalAttempt(plan: SweepPlan, { position: firstPosition }: PageRequest, reason: string): void {
    this.result.stopped = reason;
    const requests = [...listPageRequests(plan, this.context.target.shard, this.done)];
    // The final attempt has added the pages before `firstPosition`.
    const unjudgedRequests = requests.filter(({ position }) => position >= firstPosition);
    const ranges = unjudgedRequests.map((request) => createPageRange(plan, request, reason));
    this.result.failedRanges.push(...ranges);
  }

  async *#requestPages(plan: SweepPlan): AsyncGenerator<{ request: PageRequest; page: ReceivedPage }> {
    const { shard } = this.context.target;
    for (const requests of splitIntoBatches(listPageRequests(plan, shard, this.done)))
      yield* await Promise.all(
        requests.map(async (request) => ({ request, page: await requestPage(this, request) })),
      );
  }

  /**
   * Judges the pages after the planned end of the list. The list may have grown since the sweep was planned (contract section 4.2).
   * Ends at the first page without records.
   */
  async #judgeGrownList(plan: SweepPlan): Promise<void> {
    const { shard } = this.context.target;
    const lastPageToTry = 2 * plan.pages + maxGrowth;
    for (let pageNumber = plan.pages; pageNumber <= lastPageToTry; pageNumber += 1) {
      if (!belongsToShard(shard, pageNumber) || this.done.has(pageNumber)) continue;
      const request = createPageRequest(plan, pageNumber);
      let page = await requestPage(this, request);
      // Repeats the request once: the first response may be a temporary error, or come from a replica that lags behind.
      if (!page.records?.length) page = await requestPage(this, request);
      const isAfterEnd = page.isNonexistent || page.records?.length === 0;
      if (isAfterEnd) return;
      this.#addPage(request, page, findMissingRecords(plan, request, page));
      const hasFailed = !page.records;
      if (hasFailed) return;
    }
    this.stopAt(this.result.lastReceived, 'the list grows faster than it is read');
  }

  /**
   * Adds a page to the result and the journal. A page without records is added only if the page is broken (`isBrokenPage`). If the
   * page is not added, the ranges in `missing` are added to the result, but not to the journal.
   * @param missing ranges of records that the page should have shown, but did not
   */
  #addPage(request: PageRequest, page: ReceivedPage, missing?: MissingRecords): void {
    const { list } = this;
    const { judged: judgement, observation, records = [] } = page;
    const hasNothingToReport = records.length === 0 && !isBrokenPage(page);
    if (!judgement || hasNothingToReport) {
      // This page is not added to the journal, so that a resumed sweep requests it again.
      addSweptCounts(this.result, missing ?? {});
      return;
    }
    const comparableResponse = this.#createComparable(this.#createSweptPage(request), page);
    const comparison = this.#relations.compareAndStore(comparableResponse);
    const hashedShapes = list.shapes(judgement.body).map(this.#relations.hashText);
    const newShapes = this.#addShapes(hashedShapes, request);
    const exercised = { ...observation.exercised, ...comparison.ruleCounts };
    this.add({
      ...missing,
      number: request.number,
      request,
      pages: 1,
      // A page without records, which may be after the end of the list, does not show that the list is longer.
      lastReceived: records.length > 0 ? request.position + records.length : 0,
      judged: records.length - comparison.duplicates,
      duplicates: comparison.duplicates,
      brokenRecords: countBrokenRecords(list, filterViolations(this.context, judgement), request.position),
      observations: [{ ...observation, exercised }],
      shown: comparison.records,
      ...(newShapes.length > 0 ? { shapes: newShapes } : {}),
    });
  }

  async #confirmSharedIdentifiers(): Promise<void> {
    const { context } = this;
    const repeat = async (page: SweptPage) =>
      this.#createComparable(page, await requestPage(this, page.request));
    const { isMock } = context.target;
    const { concluded } = await concludeContradictions(this.#relations, repeat, { isMock });
    const { brokenRecords, observations } = summarizeContradictions(concluded);
    // The journal does not hold these results, so that a resumed sweep requests the pages again.
    addSweptCounts(this.result, { brokenRecords });
    for (const observation of observations) context.totals.add(observation);
  }

  #addShapes(shapes: string[], { limit, offset }: PageRequest): string[] {
    const remainingCount = maxLookups.ofSweep - this.#shapes.size;
    const unknownShapes = shapes.filter((shape) => !this.#shapes.has(shape));
    const newShapes = unknownShapes.slice(0, remainingCount);
    for (const shape of newShapes) this.#shapes.set(shape, this.list.createPageArguments(limit, offset));
    return newShapes;
  }

  async #lookUpOneRecordOfEachShape(): Promise<void> {
    const { operation, list } = this;
    const pageArguments = [...this.#shapes.values()];
    // The key may be random, because this session exchanges no hashes with another session.
    const hashKey = randomUUID();
    const session = new Session(this.context, hashKey);
    const observations = await session.lookUp(operation.id, list, pageArguments);
    // Adds only lookups with findings, because the number of all lookups depends on the shards and on resumed runs.
    const notableObservations = observations.filter(
      ({ findings, undecided }) => findings.length > 0 || undecided,
    );
    for (const observation of notableObservations) this.context.totals.add(observation);
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

const countPlannedPages = ({ sample, pages }: SweepPlan, shard: Shard | undefined): number =>
  countShardItems(shard, sample?.sampleSize ?? pages);

function estimateRecords(plan: SweepPlan, shard: Shard | undefined): number {
  const pageSize = plan.sample?.by === 'records' ? 1 : plan.size;
  return Math.min(plan.populationSize, countPlannedPages(plan, shard) * pageSize);
}

/**
 * Formats "sweep: 950 customers, pages of 100: 10 more requests".
 * @param doneCount number of pages that the journal of an earlier run holds, otherwise 0
 */
function formatSweepAnnouncement(
  plan: SweepPlan,
  { noun }: SweptList,
  { shard, resume }: Target,
  doneCount: number,
): string {
  const remainingCount = Math.max(0, countPlannedPages(plan, shard) - doneCount);
  let startNote = '';
  if (doneCount > 0) startNote = `; continues after ${formatCount(doneCount, 'page')}`;
  else if (resume)
    startNote = '; begins with the first page, because REPORTS_DIR has no page of an earlier run';
  const extent = `${formatNumber(plan.populationSize)} ${noun}, ${describeDivision(plan)}`;
  return `sweep: ${extent}: ${formatCount(remainingCount, 'more request')}${formatShard(shard)}${startNote}`;
}

/**
 * Constant part of the page limit for a list that grows during its sweep. The last page to try has the number
 * `2 * plan.pages + maxGrowth`, counted from 0.
 */
const maxGrowth = 10;

function findMissingRecords(
  { populationSize: total }: SweepPlan,
  { position, limit }: PageRequest,
  page: ReceivedPage,
): MissingRecords | undefined {
  const { records, failureReason, isNonexistent } = page;
  const isUnreadable = !records && !isNonexistent;
  const expectedCount = Math.min(limit, total - position);
  if (isUnreadable) {
    // After the counted end, the list may have grown by any number of records.
    const end = position + (expectedCount > 0 ? expectedCount : limit);
    // The numbers in a range begin with 1, and `position` begins with 0.
    return { failedRanges: [{ from: position + 1, to: end, reason: failureReason ?? '' }] };
  }
  const shownCount = records?.length ?? 0;
  if (shownCount >= expectedCount) return undefined;
  const shownText = `the page shows ${formatNumber(shownCount)} of ${formatCount(expectedCount, 'record')}`;
  const reason = failureReason ?? shownText;
  return { shortPageRanges: [{ from: position + shownCount + 1, to: position + expectedCount, reason }] };
}

const listRangesOfPage = (
  { position }: PageRequest,
  { failedRanges = [], shortPageRanges = [] }: MissingRecords,
): SweptCounts['failedRanges'] =>
  // Each range begins with the first record of the page, even if this record was received.
  [...failedRanges, ...shortPageRanges].map((range) => ({ ...range, from: position + 1 }));

function countBrokenRecords(
  { pointer }: SweptList,
  brokenRequirements: BrokenRequirement[],
  position: number,
): SweptCounts['brokenRecords'] {
  const brokenByAddress: SweptCounts['brokenRecords'] = {};
  for (const { requirement, elementCount, listedViolations } of brokenRequirements) {
    const indices = listRecordIndices(pointer, listedViolations);
    const isOutsideOfList = indices.length === 0;
    if (isOutsideOfList) continue;
    const firstNumbers = indices.slice(0, maxPlaces).map((index) => position + index + 1);
    // `elementCount` counts the broken records, and `listedViolations` holds only the first violations.
    addBroken(brokenByAddress, requirement, { records: elementCount, first: firstNumbers, pages: 1 });
  }
  return brokenByAddress;
}

function listRecordIndices(listPointer: string, violations: Pick<Violation, 'pointer'>[]): number[] {
  const listPrefix = `${listPointer}/`;
  const violationsInList = violations.filter(({ pointer }) => pointer.startsWith(listPrefix));
  // Reads 3 from `3/uuid`, the rest of the pointer.
  const indices = violationsInList.map(({ pointer }) =>
    Number.parseInt(pointer.slice(listPrefix.length), 10),
  );
  return [...new Set(indices)];
}
