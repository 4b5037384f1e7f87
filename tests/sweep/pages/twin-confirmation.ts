import { differ } from '../../relations/prints.ts';
import { noRequestsLeft, notListed } from '../../relations/unconfirmed.ts';
import type { ListClient } from '../paging/list-client.ts';
import type { PageRequest } from '../paging/paging.ts';
import { hasIdentity, type Identity, isChanged, isUnchanged, withoutIdentity } from './identity.ts';
import type { Twin } from './sightings.ts';

/** Contradictions that are requested again; once so many were confirmed, others are believed. */
const maxConfirmed = 8;

/** Where records are: what pages show, and what was listed on which place. */
interface Places {
  /** The page that holds a place, or the one that many pages behind it. */
  pageOf(place: number, behind?: number): PageRequest;
  /** The place at which a record was listed first. */
  listedAt(identity: Identity): number | undefined;
}

/** Indices of records that share their identity with others, and why some were neither confirmed nor settled. */
interface ConfirmedTwins {
  indices: number[];
  open: string | undefined;
}

/** Believes that two records share their identity only after both were requested again. */
export class TwinConfirmation {
  readonly #client: Pick<ListClient, 'page'>;
  readonly #identify: (record: unknown) => Identity;
  readonly #places: Places;
  #asked = 0;
  #confirmed = 0;
  /** Whether the record that was looked for names something else now, which settles that there is one. */
  #isOtherShown = false;
  #open: string | undefined;

  /** @param earlier what an earlier run has met of twins, and has not confirmed */
  constructor(
    client: Pick<ListClient, 'page'>,
    identify: (record: unknown) => Identity,
    places: Places,
    earlier: { twins: number; unconfirmed: number },
  ) {
    this.#client = client;
    this.#identify = identify;
    this.#places = places;
    this.#asked = Math.min(maxConfirmed, earlier.twins);
    this.#confirmed = this.#asked - (earlier.unconfirmed > 0 ? 1 : 0);
  }

  /**
   * The indices of those records of a page that share their identity with another one.
   * @param position of the first record of the page in the list
   */
  async confirmed(twins: Twin[], page: Identity[], position: number): Promise<ConfirmedTwins> {
    const onPage = twins.length > 0 ? twinsOnPage(page) : new Set<number>();
    const indices: number[] = [];
    this.#open = undefined;
    for (const twin of twins) {
      const { index } = twin;
      const isTwin = onPage.has(index) || this.isTwin(twin, page[index] ?? withoutIdentity, position + index);
      if (await isTwin) indices.push(index);
    }
    return { indices, open: this.#open };
  }

  /** @param place of the twin in the list */
  async isTwin({ earlier, earlierNamed }: Twin, twin: Identity, place: number): Promise<boolean> {
    if (this.#asked >= maxConfirmed) {
      const isBelieved = this.#confirmed === this.#asked;
      if (!isBelieved) this.#open = noRequestsLeft;
      return isBelieved;
    }
    this.#asked += 1;
    const first: Identity = { key: twin.key, named: earlierNamed };
    const isConfirmed = (await this.#isShown(twin, place)) && (await this.#isShown(first, earlier));
    if (isConfirmed) this.#confirmed += 1;
    else if (!this.#isOtherShown) this.#open ??= notListed;
    return isConfirmed;
  }

  /** Whether a record is still there, as far as the list has moved meanwhile. */
  async #isShown(record: Identity, place: number): Promise<boolean> {
    this.#isOtherShown = false;
    const there = await this.#look(record, place);
    if (typeof there === 'boolean') return there;
    return (await this.#look(record, place + there.moved)) === true;
  }

  /** Looks at the page of a place, and at those beside it; by how much the list has moved there, where that page shows it. */
  async #look(record: Identity, place: number): Promise<boolean | { moved: number }> {
    let moved = 0;
    for (const behind of [0, 1, -1]) {
      const { limit, offset, position } = this.#places.pageOf(Math.max(0, place), behind);
      if (position < 0) continue;
      const identities = ((await this.#client.page(limit, offset)).records ?? []).map(this.#identify);
      if (identities.some((one) => isUnchanged(one, record))) return true;
      this.#isOtherShown ||= identities.some((one) => isChanged(one, record));
      if (behind === 0) moved = this.#movedOn(identities, position);
    }
    return moved !== 0 && { moved };
  }

  /** How many places farther than before a page shows its first record that is known. */
  #movedOn(identities: Identity[], position: number): number {
    for (const [index, identity] of identities.entries()) {
      const before = this.#places.listedAt(identity);
      if (before !== undefined) return position + index - before;
    }
    return 0;
  }
}

/** Indices of records that share their identity with another one of the same page: no other response is needed to tell. */
function twinsOnPage(identities: Identity[]): Set<number> {
  const known = new Map<string, number>();
  const twins = new Set<number>();
  for (const [index, identity] of identities.entries()) {
    if (identity.named === 0 || !hasIdentity(identity)) continue;
    const print = `${identity.key.high} ${identity.key.low}`;
    const first = known.get(print) ?? index;
    if (first === index) known.set(print, index);
    else if (differ(identities[first]?.named ?? 0, identity.named)) twins.add(first).add(index);
  }
  return twins;
}
