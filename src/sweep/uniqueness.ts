import type { Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { ruleAddress } from '../../schemas/contract/requirements.ts';
import { requestOf } from '../ask/request.ts';
import type { SweptList } from '../ask/session.ts';
import type { Observation, Request } from '../redact/observation.ts';
import type { Confirmed } from '../relations/confirm.ts';
import type { Contradiction } from '../relations/contradictions.ts';
import { observationOf } from '../relations/findings.ts';
import { indexIn } from '../relations/shown.ts';
import type { PageRequest } from './paging.ts';
import { type BrokenRecords, maxPlaces } from './summary.ts';

/** A page that has shown records, and its request as it may be shown. */
export interface SweptPage {
  request: PageRequest;
  /** The shard that has requested it, where several are merged. */
  shard?: number;
  observation: Request;
}

/** There may be as many pages as memory has room for: what may be shown of a request is made once it is needed. */
export const sweptPage = (
  operation: Operation,
  { page }: SweptList,
  { request, shard }: Omit<SweptPage, 'observation'>,
  curl?: string,
): SweptPage => ({
  request,
  ...(shard === undefined ? {} : { shard }),
  get observation() {
    return requestOf(operation, page(request.limit, request.offset), curl);
  },
});

/** Address of the rule that a list names each of its records once, if there is one. */
export function uniqueRuleOf(operation: Operation, { pointer, key }: SweptList): string | undefined {
  const rule = operation.rules.find(
    ({ check }) => 'unique' in check && check.unique === `${pointer}/*/${key}`,
  );
  return rule && ruleAddress(operation.id, rule);
}

/** What is said of records that share a key: how many do, and observations of what only two pages together show. */
export function sharedKeys(
  confirmed: Confirmed<SweptPage>[],
  entries: Entry[],
): { records: BrokenRecords | undefined; observations: Observation[] } {
  const broken = confirmed.filter(({ conclusion }) => conclusion === 'broken');
  const places = broken.map(({ contradiction }) => placeOf(contradiction)).sort((a, b) => a - b);
  const pages = new Set(broken.map(({ contradiction }) => contradiction.second.source.request.position)).size;
  const records = { records: broken.length, first: places.slice(0, maxPlaces), pages };
  return {
    records: broken.length > 0 ? records : undefined,
    observations: confirmed.flatMap((one) => observationOf(one, entries) ?? []),
  };
}

/** The place of the later record in the list, from 1. */
const placeOf = ({ second: { pointer, source } }: Contradiction<SweptPage>): number =>
  source.request.position + indexIn(pointer) + 1;
