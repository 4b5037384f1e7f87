import type { ListClient } from './list-client.ts';
import { idsOf, type Unit } from './offset-unit.ts';

/**
 * What `offset` seems to count in a list that never stands still: where it counts records, the page that begins in the middle
 * of the first one shares about half of it; where it counts pages, that page shares nothing, and the second one hardly
 * anything. A wrong guess shows as a list that moves.
 */
export async function likelyUnit(client: ListClient, size: number): Promise<Unit | undefined> {
  const first = new Set(idsOf(client, await client.page(size, 0)));
  const half = Math.floor(first.size / 2);
  /** The share of the first page that a page shows, too; undefined where it shows nothing. */
  const sharedAt = async (limit: number, offset: number) => {
    const shown = idsOf(client, await client.page(limit, offset));
    return shown.length === 0 ? undefined : shown.filter((id) => first.has(id)).length / first.size;
  };
  const middle = await sharedAt(size, half);
  if (isAboutHalf(middle)) return { unit: 'records', overlap: 1 };
  // Some targets accept only multiples of `limit`.
  if (middle === undefined && isAboutHalf(await sharedAt(half, half))) return { unit: 'records', overlap: 0 };
  const second = middle ? undefined : await sharedAt(size, 1);
  return second !== undefined && second <= 0.25 ? { unit: 'pages', overlap: 0 } : undefined;
}

const isAboutHalf = (share: number | undefined) => share !== undefined && share >= 0.25 && share <= 0.75;
