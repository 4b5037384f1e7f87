import { memoize } from '../../schemas/memoize.ts';
import type { FindRoute, SkipReason } from './recorded-entry.ts';

const everyRoute: FindRoute = () => ({ lookup: false });

/** A recorded request, once it is known to be one that may be judged. */
export interface JudgeableRequest {
  url: string;
  lookup: boolean;
}

/** Which request was recorded, or why it does not count. */
export type ClassifyRequest = (
  method: string | undefined,
  address: string | undefined,
) => JudgeableRequest | SkipReason;

/** Classifies the requests of a recording, where most addresses come more than once. */
export function createClassifier(findRoute: FindRoute = everyRoute): ClassifyRequest {
  const classifyAddress = memoize((address) => requestTo(address, findRoute));
  return (method, address) => {
    if (method === undefined || address === undefined) return 'malformed entry';
    const request = classifyAddress(address);
    const isRequest = request !== 'malformed entry' && request !== 'not HTTP';
    return isRequest && method !== 'GET' ? 'other method' : request;
  };
}

function requestTo(address: string, findRoute: FindRoute): JudgeableRequest | SkipReason {
  if (!URL.canParse(address)) return 'malformed entry';
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol)) return 'not HTTP';
  // To set one of these costs as much as to read the address.
  if (/[@#]/.test(address)) Object.assign(url, { username: '', password: '', hash: '' });
  const route = findRoute(url);
  return route ? { url: url.href, lookup: route.lookup } : 'other path';
}

/** Why a response says nothing of the contract, if it does not. */
export function skipReasonOf(status: number, lookup: boolean): SkipReason | undefined {
  if (status < 200) return 'no response';
  if (status === 304) return 'not modified (304)';
  if (status >= 300 && status < 400) return 'redirect';
  if (status === 404 && lookup) return 'record not found (404)';
  if (status === 429) return 'too many requests (429)';
  return status >= 500 ? 'server error (5xx)' : undefined;
}

/** A status as HTTP knows it: 0 and -1 say that there was no response. */
export function readStatus(status: unknown): number | undefined {
  return typeof status === 'number' && Number.isInteger(status) && status <= 599 ? status : undefined;
}
