import type { Violation } from '../../schemas/judgement.ts';
import type { SweptList } from '../exchanges/session.ts';
import type { SweepContext } from './context.ts';
import type { ListClient, PageAnswer } from './list-client.ts';
import { lookUp } from './lookups.ts';
import { type Beside, judgePage, type PageRules, statesOfRecords } from './page-judge.ts';
import { type PageRequest, type Paging, pageAt } from './paging.ts';
import { createShapes, elementPlan } from './record-shape.ts';
import type { BrokenRecords } from './result.ts';
import { edgeOf, hasIdentity, type Identity, type Sightings, type Sorted } from './sightings.ts';
import { maxPlaces, type PageResult, type Tally } from './tally.ts';
import { identityIn, TwinConfirmation, twinViolation, type UniqueRule, uniqueRuleOf } from './uniqueness.ts';

/** Single lookups of a sweep: one for each shape of a record. */
export const maxLookups = 200;

/** Turns pages into what is kept of them, one after the other. */
export class PageStep {
  readonly #context: SweepContext;
  readonly #rules: PageRules;
  readonly #list: SweptList;
  readonly #shapeOf: (record: unknown) => number;
  readonly #sightings: Sightings;
  readonly #paging: Paging;
  readonly #unique: UniqueRule | undefined;
  readonly #twins: TwinConfirmation;
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
    this.#list = list;
    this.#shapeOf = createShapes(elementPlan(rules.operation, list.pointer));
    this.#paging = paging;
    this.#sightings = sightings;
    this.#shapes = tally.shapes;
    this.#unique = uniqueRuleOf(rules.operation, list);
    const confirmed = tally.broken[this.#unique?.address ?? '']?.records ?? 0;
    this.#twins = new TwinConfirmation(client, this.#identify, { twins: tally.twins, confirmed });
  }

  /** Judges a page that was answered, and looks up its records of new shapes. */
  async take(request: PageRequest, page: PageAnswer): Promise<{ result: PageResult; added: Uint32Array }> {
    const { parameters, answer, records = [] } = page;
    if (!answer) throw new Error('a page without an answer cannot be judged');
    const foreign = this.#foreign(request);
    const identities = records.map(this.#identify);
    const sorted = this.#sightings.sort(identities, request, this.#paging.overlap, foreign);
    const left = foreign > 0 ? new Set([0, ...sorted.repeated]) : sorted.repeated;
    const isKnownBroken = (index: number) => {
      const identity = identities[index] as Identity;
      return index < foreign || !hasIdentity(identity) || this.#sightings.isBroken(identity.key);
    };
    const beside = { left, isKnownBroken, ...(await this.#uniqueness(sorted, identities, request)) };
    const { observation, judged, broken } = judgePage(this.#rules, parameters, answer, records, beside);
    const brokenPrints = printsOf(broken, identities);
    this.#sightings.addBroken(brokenPrints);
    const found = this.#newShapes(records, left);
    const listed = [...found.values()].map((index) => ({
      index,
      record: records[index],
      place: request.position + index,
    }));
    const { operation } = this.#rules;
    const on = { operation, list: this.#list, parameters, observation, hasFound: this.#hasFound };
    const lookups = listed.length > 0 ? await lookUp(this.#context, on, listed) : [];
    this.#hasFound ||= lookups.some(({ response }) => response === 'success');
    const result: PageResult = {
      number: request.number,
      position: request.position,
      held: records.length,
      judged,
      observations: [this.#context.disclosure.settleUnlearned(observation), ...lookups],
      broken: this.#brokenRecords(broken, records, request),
      moved:
        request.limit === 1 && records.length === 0
          ? isGone
          : movedOf(sorted, this.#paging.overlap === 1 && sorted.repeated.has(0)),
      ...(records.length > 0 && judged === 0 && left.size < records.length
        ? {
            blocked: [
              rangeOf(request, 'the page could not be judged record by record', this.#paging.overlap),
            ],
          }
        : {}),
      ...(brokenPrints.length > 0 ? { brokenPrints } : {}),
      ...(sorted.twins.length > 0 ? { twinPrints: twinPrintsOf(sorted, identities) } : {}),
      ...(found.size > 0 ? { shapes: [...found.keys()] } : {}),
      ...(lookups.length > 0 ? { lookedUp: lookups.filter(({ again }) => !again).length } : {}),
      ...(foreign > 0 && identities[0] ? { first: edgeOf(identities[0]) } : {}),
      last: this.#sightings.last,
    };
    return { result, added: sorted.added };
  }

  readonly #identify = (record: unknown) =>
    identityIn(record, this.#list, this.#unique, this.#context.printOf);

  async #uniqueness(
    { twins }: Sorted,
    identities: Identity[],
    request: PageRequest,
  ): Promise<Pick<Beside, 'rule' | 'violations'>> {
    const rule = this.#unique;
    if (!rule) return { violations: [] };
    const violations: Violation[] = [];
    for (const twin of twins)
      if (await this.#twins.isTwin(twin, identities[twin.index] as Identity, request, this.#pageOf))
        violations.push(twinViolation(rule, this.#list, twin.index));
    return { rule: rule.address, violations };
  }

  readonly #pageOf = (place: number): PageRequest =>
    pageAt(this.#paging, Math.floor(place / (this.#paging.size - this.#paging.overlap)));

  /** In a part of a sweep, the page before belongs to another part, and counts what it shares with this one. */
  #foreign({ number }: PageRequest): number {
    const { part } = this.#context;
    return part !== undefined && part.total > 1 && number > 0 ? this.#paging.overlap : 0;
  }

  #newShapes(records: unknown[], left: ReadonlySet<number>): Map<number, number> {
    const found = new Map<number, number>();
    for (const [index, record] of records.entries()) {
      if (this.#shapes.size + found.size >= maxLookups) break;
      const shape = this.#shapeOf(record);
      if (!left.has(index) && !this.#shapes.has(shape) && !found.has(shape)) found.set(shape, index);
    }
    return found;
  }

  #brokenRecords(
    broken: Map<string, Set<number>>,
    records: unknown[],
    { position }: PageRequest,
  ): Record<string, BrokenRecords> {
    const { operation, pointer } = this.#rules;
    const entries = [...broken].map(([address, indices]): [string, BrokenRecords] => {
      const sorted = [...indices].sort((one, other) => one - other);
      const first = sorted.slice(0, maxPlaces).map((index) => position + index + 1);
      const states = statesOfRecords(
        operation,
        pointer,
        sorted.map((index) => records[index]),
      );
      return [address, { records: sorted.length, first, states, pages: 1 }];
    });
    return Object.fromEntries(entries);
  }
}

/** Prints of the records that break any requirement, where they have one. */
const printsOf = (broken: Map<string, Set<number>>, identities: Identity[]): number[] =>
  [...new Set([...broken.values()].flatMap((indices) => [...indices]))].flatMap((index) => {
    const identity = identities[index];
    return identity && hasIdentity(identity) ? [identity.key.high, identity.key.low] : [];
  });

const twinPrintsOf = ({ twins }: Sorted, identities: Identity[]): number[] =>
  twins.flatMap(({ index }) => {
    const { key, named } = identities[index] as Identity;
    return [key.high, key.low, named];
  });

/** Nothing is any more where a record was drawn: the list has become shorter. */
const isGone = { repeated: 0, gaps: 1 };

/** @param isShared whether the first record is that of the page before it */
const movedOf = ({ begins, repeated }: Sorted, isShared: boolean) => ({
  repeated: begins === 'as expected' && isShared ? Math.max(0, repeated.size - 1) : repeated.size,
  gaps: begins === 'with another one' ? 1 : 0,
});

/** The records of a page behind those that it shares with the one before it, as places in the list. */
export const rangeOf = ({ number, position, limit }: PageRequest, reason: string, before: number) => ({
  from: position + 1 + (number > 0 ? before : 0),
  to: position + limit,
  reason,
});
