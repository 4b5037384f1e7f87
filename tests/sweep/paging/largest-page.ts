import { smallest } from './empty-behind.ts';
import type { ListClient, PageAnswer } from './list-client.ts';

/** Page sizes that are tried, the largest first; the last ones only where each of the others is rejected, or shows nothing. */
const sizes = [1000, 500, 200, 100, 50, 20, smallest];
const smallSizes = [9, 8, 7, 6, 5, 4, 3, 2, 1];

/** How many records the longest page holds, with what `limit` it was requested, and the page if it is known to show that yet. */
export interface LargestPage {
  size: number;
  limit: number;
  first: PageAnswer | undefined;
}

/** The longest page: above its maximum, a target may show as many as that, its default, or nothing. */
export async function largestPage(
  client: ListClient,
): Promise<LargestPage | { problem: string; rejected?: true | undefined }> {
  const { longest, last } = await longestOf(client, sizes);
  const isEmpty = longest?.size === 0 && (await client.page(1, 0)).records?.length === 0;
  const isSmall = longest ? longest.size === 0 && !isEmpty : last?.rejected;
  const found = (isSmall ? await firstOf(client, smallSizes) : undefined) ?? longest;
  if (found) return { ...found, size: found.size || Math.min(smallest, found.limit) };
  const problem = `no page at \`offset\` 0 was answered: ${last?.failed ?? 'the response holds no list'}`;
  return { problem, rejected: last?.rejected };
}

async function longestOf(client: ListClient, limits: number[]) {
  let last: PageAnswer | undefined;
  let longest: LargestPage | undefined;
  for (const limit of limits) {
    if (longest && longest.size >= limit) break;
    const first = await client.page(limit, 0);
    const size = first.records?.length;
    if (size === undefined) last = first;
    else if (size > (longest?.size ?? -1)) longest = { size, limit, first };
    // The list may have changed meanwhile.
    else if (longest) longest.first = undefined;
  }
  return { longest, last };
}

/** The first page that is neither rejected nor empty, or else the first empty one. */
async function firstOf(client: ListClient, limits: number[]): Promise<LargestPage | undefined> {
  let empty: LargestPage | undefined;
  for (const limit of limits) {
    const first = await client.page(limit, 0);
    const found = first.records && { size: first.records.length, limit, first };
    if (found?.size) return found;
    empty ??= found;
    if (!found && !first.rejected) break;
  }
  return empty;
}
