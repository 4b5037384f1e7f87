import { isObjectOrArray, isRecord } from '../../../schemas/json/read.ts';
import { ownValue } from '../../../schemas/own-value.ts';
import type { ListClient } from './list-client.ts';
import { idsOf } from './offset-unit.ts';
import { isWithoutKey } from './record-identity.ts';

/** Whether a page may be a single record. */
export async function acceptsOne(client: ListClient): Promise<boolean> {
  return (await client.page(1, 0)).records?.length === 1;
}

/** Whether each record can be requested by itself: where `offset` is rounded down, the first one is shown twice. */
export async function showsSingles(client: ListClient): Promise<boolean> {
  // What is added at the beginning meanwhile looks so once.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const first = await client.page(1, 0);
    if (first.records?.length !== 1) return false;
    const [id = ''] = idsOf(client, first);
    const { records: [next] = [] } = await client.page(1, 1);
    if (isWithoutKey(id) || !isSameRecord(first.records[0], next)) return true;
  }
  return false;
}

/** Whether two records have the same fields, lists and objects apart: one that only shares its identity is another one. */
const isSameRecord = (one: unknown, other: unknown): boolean =>
  isRecord(one) &&
  isRecord(other) &&
  Object.entries(one).every(([name, value]) => isObjectOrArray(value) || value === ownValue(other, name));
