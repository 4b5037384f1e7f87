import { hash } from 'node:crypto';
import type { Contract, Schema } from '../../../schemas/contract/contract.ts';
import { comparable } from '../../../schemas/contract/identifiers.ts';
import { isObjectOrArray, isRecord, valueAt } from '../../../schemas/json/read.ts';
import { payloadOf } from '../../../schemas/judge/classify-response.ts';
import { quoteName } from '../../redaction/describe-value.ts';

/** A list of an answer: how many elements, and prints that distinguish the first of them, or lists as a whole. */
export interface ListDigest {
  count: number;
  /** Prints of what identifies the elements; empty for one that has no such thing. */
  ids: string[];
  /** A print of the whole list, equal where the list is, where nothing identifies the elements. */
  print?: string;
}

/** The number of identifiers that are distinguished, which is more than any page of a usual length holds. */
const maxIds = 10_000;

/** The lists of an answer, by name. @param identities what identifies elements, by name of their list */
export function listsOf(
  contract: Contract,
  body: unknown,
  identities: Record<string, string>,
): Record<string, ListDigest> {
  const lists = placesOfType(contract, 'array').flatMap(({ name, pointer }) => {
    const list = valueAt(body, pointer);
    return Array.isArray(list) ? [[name, listDigest(list, identities[name])] as const] : [];
  });
  return Object.fromEntries(lists);
}

function listDigest(list: unknown[], identity: string | undefined): ListDigest {
  const { length: count } = list;
  if (identity === undefined) return { count, ids: [], print: digestText(JSON.stringify(list)) };
  const ids = list.slice(0, maxIds).map((one) => identityPrint(one, identity));
  return { count, ids };
}

/** A print of what identifies an element, the same in either letter case where that is so. */
function identityPrint(element: unknown, identity: string): string {
  const id = valueAt(element, identity);
  if (typeof id === 'number') return digestText(String(id));
  return typeof id === 'string' && id !== '' ? digestText(JSON.stringify(comparable(id))) : '';
}

/** Names of the single records that a body carries. */
export const recordsIn = (contract: Contract, body: unknown): string[] =>
  placesOfType(contract, 'object').flatMap(({ name, pointer }) =>
    isObjectOrArray(valueAt(body, pointer)) ? name : [],
  );

/** What payloads carry, by name. */
const placesOfType = ({ operations }: Contract, expected: Schema['type']) =>
  operations.flatMap((operation) =>
    Object.entries(payloadOf(operation)?.properties ?? {}).flatMap(([name, { type }]) =>
      type === expected ? { name, pointer: `${operation.envelope.payload}/${name}` } : [],
    ),
  );

/** Short enough to keep many, and nothing can be read from it. */
const digestText = (text: string) => hash('sha256', text, 'base64url').slice(0, 12);

/** Fields and headers that announce how many there are. */
const announcing = /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/;
const announcingField = /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/;

/** What may announce how many records there are. */
export function announcementsOf(
  payload: string | undefined,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): string[] {
  const fields = ['', payload ?? []].flat().flatMap((at) => {
    const record = valueAt(body, at);
    return isRecord(record) ? namesLike(announcingField, record) : [];
  });
  return [
    ...namesLike(announcing, headers).map((name) => `header ${name}`),
    ...fields.map((name) => `field ${name}`),
  ];
}

const namesLike = (known: RegExp, record: object) =>
  Object.keys(record)
    .filter((name) => name.length <= 40 && known.test(name))
    .slice(0, 12)
    .map(quoteName);

const total = /^(x-)?total([-_](count|records|items))?$/;

/** Numbers that headers and fields announce as a total of records; the number of pages is none. */
export function totalsOf(
  payload: string | undefined,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): number[] {
  const records = ['', payload ?? []].flat().map((at) => valueAt(body, at));
  return [headers, ...records]
    .flatMap((record) => (isRecord(record) ? Object.entries(record) : []))
    .filter(
      ([name, value]) => name.length <= 40 && total.test(name) && /^\d{1,12}$/.test(`${numberIn(value)}`),
    )
    .map(([, value]) => Number(value));
}

const numberIn = (value: unknown) => (typeof value === 'number' || typeof value === 'string' ? value : '');
