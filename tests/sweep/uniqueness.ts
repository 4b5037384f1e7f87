import type { Operation, Rule } from '../../schemas/contract.ts';
import { isObject } from '../../schemas/json.ts';
import type { Violation } from '../../schemas/judgement.ts';
import { below } from '../../schemas/pointer.ts';
import { ruleAddress } from '../../schemas/requirements.ts';
import type { SweptList } from '../exchanges/session.ts';
import type { Unique } from '../relations/plan.ts';
import { sentencesOf } from '../relations/sentences.ts';
import { identityOf, type ListClient } from './list-client.ts';
import type { PageRequest } from './paging.ts';
import type { PrintOf } from './prints.ts';
import type { Identity, Twin } from './sightings.ts';

/** The rule that what identifies the records of a list names one of them, if there is one. */
export interface UniqueRule {
  address: string;
  check: Unique;
}

export function uniqueRuleOf(operation: Operation, { pointer, key }: SweptList): UniqueRule | undefined {
  const isOwn = ({ check }: Rule) => 'unique' in check && check.unique === `${pointer}/*/${key}`;
  const rule = operation.rules.find(isOwn);
  return rule && 'unique' in rule.check
    ? { address: ruleAddress(operation.id, rule), check: rule.check }
    : undefined;
}

/** What identifies a record. What it names is compared where it is a text. */
export function identityIn(
  record: unknown,
  list: SweptList,
  rule: UniqueRule | undefined,
  printOf: PrintOf,
): Identity {
  const key = printOf(identityOf(record, list.key));
  const name = rule?.check.named ?? '';
  const named = isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
  return { key, named: typeof named === 'string' ? printOf(named).low || 1 : 0 };
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

/** Contradictions that are asked for again; once so many were confirmed, others are believed. */
const maxConfirmed = 8;

/** Believes that two records share their identity only after both were asked for again. */
export class TwinConfirmation {
  readonly #client: ListClient;
  readonly #identify: (record: unknown) => Identity;
  #asked = 0;
  #confirmed = 0;

  constructor(client: ListClient, identify: (record: unknown) => Identity) {
    this.#client = client;
    this.#identify = identify;
  }

  /** @param pageOf the page that holds a place */
  async isTwin(
    { index, earlier }: Twin,
    request: PageRequest,
    pageOf: (place: number) => PageRequest,
  ): Promise<boolean> {
    if (this.#asked >= maxConfirmed) return this.#confirmed === this.#asked;
    this.#asked += 1;
    const other = await this.#at(request, index);
    const before = pageOf(earlier);
    const first = await this.#at(before, earlier - before.position);
    const isConfirmed =
      first !== undefined &&
      other !== undefined &&
      first.key.high === other.key.high &&
      first.key.low === other.key.low &&
      first.named !== other.named;
    if (isConfirmed) this.#confirmed += 1;
    return isConfirmed;
  }

  async #at({ limit, offset }: PageRequest, index: number): Promise<Identity | undefined> {
    const { records = [] } = await this.#client.page(limit, offset);
    return index in records ? this.#identify(records[index]) : undefined;
  }
}
