import type { ListClient, PageAnswer } from './list-client.ts';
import { stepsBehind } from './paging.ts';
import { acceptsOne } from './single-records.ts';

/** The smallest page that is tried, unless single records are. */
export const smallest = 10;

/**
 * Whether nothing is behind the first page in either unit of `offset`: a page may also be empty, or rejected, for one of its records.
 * @param accepted the size of that page, and the `limit` with which it was requested
 */
export async function isEmptyBehind(
  client: ListClient,
  accepted: { size: number; limit: number },
  { length }: string[],
  { failed }: PageAnswer,
): Promise<boolean> {
  if (failed === undefined && (await showsBehind(client, accepted.size, 1))) return false;
  const isNothingAt = async (limit: number, offset: number) => {
    const { records, rejected } = await client.page(limit, offset);
    return rejected || records?.length === 0;
  };
  if (!(await acceptsOne(client)))
    return (
      failed === undefined ||
      (length < smallest && (await isNothingBehind(isNothingAt, length, Math.min(smallest, accepted.limit))))
    );
  // Where `offset` is never accepted, nothing is shown of the first page either.
  if (length > 1 && (await isNothingAt(1, 1)) && (await isNothingAt(1, length - 1))) return false;
  for (const step of [0, ...stepsBehind(maxStep)]) if (!(await isNothingAt(1, length + step))) return false;
  return true;
}

/** The same of a list whose only page is shorter than any that was requested: whether pages behind it are rejected, too. */
async function isNothingBehind(
  isNothingAt: (limit: number, offset: number) => Promise<boolean>,
  length: number,
  limit: number,
): Promise<boolean> {
  for (const step of stepsBehind(maxStep))
    for (const offset of new Set([step, step * length]))
      if (!(await isNothingAt(limit, offset))) return false;
  return true;
}

/** Whether there are records behind a page that is empty, whatever `offset` counts. @param offset of that page */
export async function showsBehind(client: ListClient, size: number, offset: 0 | 1): Promise<boolean> {
  for (const step of stepsBehind(maxStep))
    if ((await client.page(size, offset + step)).records?.length) return true;
  return false;
}

/** How far behind a page is looked, where none is known to be there: pages, or single records. */
const maxStep = 100_000;
