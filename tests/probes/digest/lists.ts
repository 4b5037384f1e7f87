import { hash } from 'node:crypto';
import { isObject, valueAt } from '../../../schemas/json.ts';
import { quoteName } from '../../client/redaction.ts';

/** The customers of an answer: how many, and prints that tell the first of them apart. */
export interface Customers {
  count: number;
  ids: string[];
}

/** So many are told apart, which is more than any page of a usual length holds. */
const maxIds = 10_000;

export function customersOf(list: unknown): Customers {
  const customers = Array.isArray(list) ? list : [];
  const ids = customers
    .slice(0, maxIds)
    .map((one) => digestText(JSON.stringify(valueAt(one, '/uuid') ?? one)));
  return { count: customers.length, ids };
}

/** A print of a list, equal where the list is. */
export const printOf = (list: unknown) =>
  list === undefined || (Array.isArray(list) && list.length === 0)
    ? 'none'
    : digestText(JSON.stringify(list));

/** Short enough to keep many, and nothing can be read from it. */
const digestText = (text: string) => hash('sha256', text, 'base64url').slice(0, 12);

/** Fields and headers that announce how many there are. */
const announcing = /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/;
const announcingField = /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/;

/** What may announce how many customers there are. */
export function announcementsOf(headers: Readonly<Record<string, string>>, body: unknown): string[] {
  const fields = ['', '/data'].flatMap((at) => {
    const record = valueAt(body, at);
    return isObject(record) && !Array.isArray(record) ? namesLike(announcingField, record) : [];
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
