import type { Operation } from '../../schemas/contract/contract.ts';
import { comparable, sameIdentifier } from '../../schemas/contract/identifiers.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { lastStep, placesAt } from '../../schemas/json.ts';
import type { ResponseKind } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { type HashOf, numberOf } from './keyed-hash.ts';
import type { Field, Side } from './rules.ts';

/** A response, as the rules between responses read it. */
export interface Seen<Source> {
  operation: Operation;
  /** Raw values, by name. */
  parameters: Record<string, string>;
  /** Anything but a success and a rejection shows nothing of a record. */
  kind: ResponseKind;
  /** Undefined where it is ambiguous, or missing. */
  body: unknown;
  /** What finds the request again. */
  source: Source;
  /** The address below which records are told apart, where a recording has several. */
  scope?: string;
}

/** What a response shows of records; of a body that is ambiguous, or not there, nothing is compared. */
export function shownBy({ id }: Operation, judged?: Judged): Pick<Seen<unknown>, 'kind' | 'body'> {
  const { kind = 'other', body, exercised = {} } = judged ?? {};
  if (kind !== 'success') return { kind, body: undefined };
  return Object.hasOwn(exercised, addressOf(id, '')) ? { kind, body } : { kind: 'other', body: undefined };
}

/** What a response shows of one record: a number of 32 bits for each field of its side, 0 where it cannot be compared. */
export interface SeenRecord<Source> {
  side: Side;
  /** The hash of what identifies it. */
  key: string;
  values: number[];
  source: Source;
  /** Its place in a list, from 0. */
  index: number;
}

const [absent, present] = [1, 2];

/** What a response shows of the records of a side. */
export function recordsIn<Source>(side: Side, seen: Seen<Source>, hashOf: HashOf): SeenRecord<Source>[] {
  const { parameters, kind, body, source } = seen;
  const recordOf = (key: string, numberAt: (field: Field) => number, index = 0) => ({
    ...{ side, key: keyOf(key, seen, hashOf), values: side.fields.map(numberAt), source, index },
  });
  if (side.isList)
    return (kind === 'success' ? placesAt(body, side.key) : [])
      .filter(({ value }) => typeof side.readKey(value) === 'string')
      .map(({ value, parent, pointer }) =>
        recordOf(value as string, (field) => comparedValue(field, parent, hashOf), indexIn(pointer)),
      );
  const asked = parameters[side.key];
  if (asked === undefined) return [];
  if (kind === 'rejection') return [recordOf(asked, ({ as }) => (as === 'record' ? absent : 0))];
  if (kind !== 'success' || !isRequested(seen)) return [];
  const parentOf = ({ pointer }: Field) => placesAt(body, pointer)[0]?.parent;
  return [
    recordOf(asked, (one) => (one.as === 'record' ? present : comparedValue(one, parentOf(one), hashOf))),
  ];
}

const indexIn = (pointer: string): number => Number(/\/(\d+)/.exec(pointer)?.[1]);

/** The hash of what identifies a record. */
export const keyOf = (key: string, { scope = '' }: Pick<Seen<unknown>, 'scope'>, hashOf: HashOf): string =>
  hashOf(scope + comparable(key));

function comparedValue(field: Field, parent: Record<string, unknown> | undefined, hashOf: HashOf): number {
  const { pointer, as, read } = field;
  if (as === 'record') return present;
  const name = lastStep(pointer);
  if (!parent || !Object.hasOwn(parent, name)) return parent && as === 'presence' ? absent : 0;
  const value = read(parent[name]);
  if (value === undefined) return 0;
  const text = typeof value === 'string' ? comparable(value) : `\0${JSON.stringify(value)}`;
  return as === 'presence' ? present : numberOf(hashOf(text));
}

/** Whether a lookup shows the record that was requested; another one breaks a rule of its own. */
export const isRequested = ({ operation, parameters, body }: Omit<Seen<unknown>, 'kind' | 'source'>) =>
  operation.rules.every(({ check }) => {
    if (!('echoes' in check)) return true;
    const [place] = placesAt(body, check.pointer);
    const asked = parameters[check.echoes];
    return asked !== undefined && typeof place?.value === 'string' && sameIdentifier(place.value, asked);
  });
