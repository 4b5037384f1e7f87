import type { SweptList } from '../../exchanges/session.ts';
import type { Observation } from '../../redaction/observation.ts';
import { Lag } from '../../relations/lag.ts';
import type { SweepContext } from '../context.ts';
import type { ListClient, PageAnswer } from '../paging/list-client.ts';
import { type PageRequest, type Paging, pageAt } from '../paging/paging.ts';
import type { PageResult, Tally } from '../results/tally.ts';
import { edgeOf, hasIdentity, type Identity, identityIn } from './identity.ts';
import { type ListedOn, lookUp } from './lookups.ts';
import { type Beside, judgePage, type PageRules } from './page-judge.ts';
import { brokenRecordsOf, movedOf, printsOf, rangeOf, twinPrintsOf, unconfirmedOf } from './page-result.ts';
import { createShapes, elementPlan } from './record-shape.ts';
import type { Sightings, Sorted } from './sightings.ts';
import { TwinConfirmation } from './twin-confirmation.ts';
import { twinViolation, type UniqueRule, uniqueRuleOf } from './uniqueness.ts';

/** Single lookups of a sweep: one for each shape of a record. */
export const maxLookups = 200;

/** A page beside those before it. */
interface ShownPage {
  request: PageRequest;
  records: unknown[];
  identities: Identity[];
  sorted: Sorted;
  /** Records at its beginning that another part counts. */
  foreign: number;
  /** Indices of records that are counted elsewhere. */
  skipped: ReadonlySet<number>;
  isKnownBroken(index: number): boolean;
}

type JudgedPage = ReturnType<typeof judgePage>;

/** Turns pages into what is kept of them, one after the other. */
export class PageStep {
  readonly #context: SweepContext;
  readonly #rules: PageRules;
  readonly #list: SweptList;
  readonly #firstOfShapes: ReturnType<typeof createShapes>;
  readonly #sightings: Sightings;
  readonly #paging: Paging;
  readonly #unique: UniqueRule | undefined;
  readonly #twins: TwinConfirmation;
  readonly #lag: Lag;
  #hasFound = false;
  readonly #shapes: Set<number>;

  constructor(
    context: SweepContext,
    rules: PageRules,
    list: SweptList,
    paging: Paging,
    { sightings, tally, client }: { sightings: Sightings; tally: Tally; client: ListClient },
  ) {
    this.#context = context;
    this.#rules = rules;
    this.#lag = new Lag(context.target);
    this.#list = list;
    this.#firstOfShapes = createShapes(elementPlan(rules.operation, list.pointer));
    this.#paging = paging;
    this.#sightings = sightings;
    this.#shapes = tally.shapes;
    this.#unique = uniqueRuleOf(rules.operation, list);
    const places = { pageOf: this.#pageOf, listedAt: (one: Identity) => sightings.placeOf(one) };
    this.#twins = new TwinConfirmation(client, this.#identify, places, tally);
  }

  /** Judges a page that was answered, and looks up its records of new shapes. */
  async take(request: PageRequest, page: PageAnswer): Promise<{ result: PageResult; sorted: Sorted }> {
    const { parameters, answer, records = [] } = page;
    if (!answer) throw new Error('a page without an answer cannot be judged');
    const shown = this.#sorted(request, records);
    const { skipped, isKnownBroken } = shown;
    const beside = { skipped, isKnownBroken, ...(await this.#uniqueness(shown)) };
    const judged = judgePage(this.#rules, parameters, answer, records, beside);
    const brokenPrints = printsOf(judged.broken, shown.identities);
    this.#sightings.addBroken(brokenPrints);
    const shapes = this.#newShapes(shown);
    const { observation } = judged;
    const lookups = await this.#lookUp([...shapes.values()], shown, { parameters, observation });
    const result: PageResult = {
      ...this.#resultOf(shown, judged, lookups),
      ...(brokenPrints.length > 0 ? { brokenPrints } : {}),
      ...unconfirmedOf(shown.sorted, beside.violations),
      ...(shapes.size > 0 ? { shapes: [...shapes.keys()] } : {}),
      last: records.length > 0 ? this.#sightings.last : undefined,
    };
    return { result, sorted: shown.sorted };
  }

  /** What the records of a page are beside those of the pages before it. */
  #sorted(request: PageRequest, records: unknown[]): ShownPage {
    const foreign = this.#foreign(request);
    const identities = records.map(this.#identify);
    const sorted = this.#sightings.sort(identities, request, this.#paging.overlap, foreign);
    const skipped = foreign > 0 ? new Set([0, ...sorted.repeated]) : sorted.repeated;
    const isKnownBroken = (index: number) => {
      const identity = identities[index] as Identity;
      return index < foreign || !hasIdentity(identity) || this.#sightings.isBroken(identity.key);
    };
    return { request, records, identities, sorted, foreign, skipped, isKnownBroken };
  }

  #resultOf(shown: ShownPage, { observation, judged, broken }: JudgedPage, lookups: Observation[]) {
    const { request, records, identities, sorted, foreign, skipped } = shown;
    const isUnjudged = judged === 0 && skipped.size < records.length;
    return {
      number: request.number,
      position: request.position,
      held: records.length,
      judged,
      observations: [this.#context.disclosure.settleUnlearned(observation), ...lookups],
      broken: brokenRecordsOf(this.#rules, broken, records, request),
      ...this.#movedOf(sorted),
      ...(isUnjudged ? { blocked: [this.#unjudged(request)] } : {}),
      ...(sorted.twins.length > 0 ? { twinPrints: twinPrintsOf(sorted, identities) } : {}),
      ...(lookups.length > 0 ? { lookedUp: lookups.filter(({ again }) => !again).length } : {}),
      ...(foreign > 0 && identities[0] ? { first: edgeOf(identities[0]) } : {}),
    };
  }

  /** Looks up the records at some indices of a page. */
  async #lookUp(
    indices: number[],
    { request, records }: ShownPage,
    page: Pick<ListedOn, 'parameters' | 'observation'>,
  ): Promise<Observation[]> {
    if (indices.length === 0) return [];
    const listed = indices.map((index) => ({
      index,
      record: records[index],
      place: request.position + index,
    }));
    const on = {
      operation: this.#rules.operation,
      list: this.#list,
      ...page,
      lag: this.#lag,
      hasFound: this.#hasFound,
    };
    const lookups = await lookUp(this.#context, on, listed);
    this.#hasFound ||= lookups.some(({ response }) => response === 'success');
    return lookups;
  }

  #movedOf(sorted: Sorted): Pick<PageResult, 'moved' | 'twice'> {
    const isShared = this.#paging.overlap === 1 && sorted.repeated.has(0);
    return movedOf(sorted, isShared);
  }

  #unjudged(request: PageRequest) {
    return rangeOf(request, 'the page could not be judged record by record', this.#paging.overlap);
  }

  readonly #identify = (record: unknown) =>
    identityIn(record, this.#list, this.#unique, this.#context.printOf);

  async #uniqueness({
    sorted,
    identities,
    request,
  }: ShownPage): Promise<Pick<Beside, 'rule' | 'violations' | 'open'>> {
    const rule = this.#unique;
    if (!rule) return { violations: [] };
    const { indices, open } = await this.#twins.confirmed(sorted.twins, identities, request.position);
    const violations = indices.map((index) => twinViolation(rule, this.#list, index));
    return { rule: rule.address, violations, open };
  }

  readonly #pageOf = (place: number, behind = 0): PageRequest =>
    pageAt(this.#paging, Math.floor(place / (this.#paging.size - this.#paging.overlap)) + behind);

  /** In a part of a sweep, the page before belongs to another part, and counts what it shares with this one. */
  #foreign({ number }: PageRequest): number {
    const { part } = this.#context;
    return part !== undefined && part.total > 1 && number > 0 ? this.#paging.overlap : 0;
  }

  #newShapes({ records, skipped }: ShownPage): Map<number, number> {
    const found = new Map<number, number>();
    for (const [shape, index] of this.#firstOfShapes(records, skipped)) {
      if (this.#shapes.size + found.size >= maxLookups) break;
      if (!this.#shapes.has(shape) && !found.has(shape)) found.set(shape, index);
    }
    return found;
  }
}
