import type { Operation, Rule } from '../../../schemas/contract/contract.ts';
import { ruleAddress } from '../../../schemas/contract/requirements.ts';
import { below } from '../../../schemas/json/pointer.ts';
import type { Violation } from '../../../schemas/judge/judgement.ts';
import { ownValue } from '../../../schemas/own-value.ts';
import type { SweptList } from '../../exchanges/session.ts';
import type { Unique } from '../../relations/relation-rules.ts';
import { sentencesOf } from '../../relations/sentences.ts';
import type { ListClient } from '../paging/list-client.ts';
import type { PageRequest } from '../paging/paging.ts';
import type { PrintOf } from './prints.ts';
import { type Identity, isUnchanged, type Twin, withoutIdentity } from './sightings.ts';

/** The rule that what identifies the records of a list names one of them, if there is one. */
export interface UniqueRule {
  address: string;
  check: Unique;
}

/** The rule about the key of a list that is swept. */
export function uniqueRuleOf(operation: Operation, { pointer, key }: SweptList): UniqueRule | undefined {
  const isOwn = ({ check }: Rule) => 'unique' in check && check.unique === `${pointer}/*/${key}`;
  const rule = operation.rules.find(isOwn);
  return rule && 'unique' in rule.check
    ? { address: ruleAddress(operation.id, rule), check: rule.check }
    : undefined;
}

/** What identifies a record: a text, or nothing does. What it names is compared where it is a text. */
export function identityIn(
  record: unknown,
  list: SweptList,
  rule: UniqueRule | undefined,
  printOf: PrintOf,
): Identity {
  const identity = textIn(record, list.key);
  if (identity === undefined) return withoutIdentity;
  const named = textIn(record, rule?.check.named ?? '');
  return { key: printOf(identity), named: named === undefined ? 0 : printOf(named).low || 1 };
}

function textIn(record: unknown, name: string): string | undefined {
  const value = ownValue(record, name);
  return typeof value === 'string' ? value : undefined;
}

/** That a record shares what identifies it. */
export function twinViolation(
  { address, check }: UniqueRule,
  { pointer, key }: SweptList,
  index: number,
): Violation {
  const { expected, actual } = sentencesOf(check, {});
  const place = `${pointer}/*/${key}`;
  return {
    requirement: address,
    pointer: below(`${pointer}/${index}`, key),
    place,
    expected,
    value: undefined,
    actual,
  };
}

/** Contradictions that are requested again; once so many were confirmed, others are believed. */
const maxConfirmed = 8;

/** Believes that two records share their identity only after both were requested again. */
export class TwinConfirmation {
  readonly #client: Pick<ListClient, 'page'>;
  readonly #identify: (record: unknown) => Identity;
  #asked = 0;
  #confirmed = 0;

  /** @param earlier what an earlier run has met of twins, and confirmed */
  constructor(
    client: Pick<ListClient, 'page'>,
    identify: (record: unknown) => Identity,
    earlier: { twins: number; confirmed: number },
  ) {
    this.#client = client;
    this.#identify = identify;
    this.#asked = Math.min(maxConfirmed, earlier.twins);
    this.#confirmed = this.#asked - (earlier.confirmed < earlier.twins ? 1 : 0);
  }

  /** @param pageOf the page that holds a place */
  async isTwin(
    { index, earlier, earlierNamed }: Twin,
    twin: Identity,
    request: PageRequest,
    pageOf: PageOf,
  ): Promise<boolean> {
    if (this.#asked >= maxConfirmed) return this.#confirmed === this.#asked;
    this.#asked += 1;
    const first: Identity = { key: twin.key, named: earlierNamed };
    const isConfirmed =
      (await this.#isShown(twin, request, request.position + index, pageOf)) &&
      (await this.#isShown(first, pageOf(earlier), earlier, pageOf));
    if (isConfirmed) this.#confirmed += 1;
    return isConfirmed;
  }

  /** Whether a record is still there: on its page, or on one beside it, should the list have moved meanwhile. */
  async #isShown(record: Identity, page: PageRequest, place: number, pageOf: PageOf): Promise<boolean> {
    const beside = [pageOf(place + page.limit), pageOf(Math.max(0, place - page.limit))];
    for (const { limit, offset } of [page, ...beside]) {
      const { records = [] } = await this.#client.page(limit, offset);
      if (records.some((one) => isUnchanged(this.#identify(one), record))) return true;
    }
    return false;
  }
}

type PageOf = (place: number) => PageRequest;
