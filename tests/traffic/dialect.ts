import { checkHeaders, type RecordedBody } from './body.ts';
import { type ClassifyRequest, readStatus, skipReasonOf } from './classify.ts';
import { readHeader, readHeaders } from './headers.ts';
import type { EntryContent, SkipReason } from './recorded-entry.ts';

/** What a dialect finds in an entry, unchecked. */
export interface Recorded {
  method: string | undefined;
  url: string | undefined;
  requestHeaders: unknown;
  status: unknown;
  headers: unknown;
  startedAt: string | undefined;
  durationMs: number | undefined;
  /** Why the target did not answer, or not in full. */
  ended: SkipReason | undefined;
  readBody(): RecordedBody | Promise<RecordedBody>;
}

const partialContent = 206;

/** What an entry says in any dialect. Its body is read only when it counts. */
export async function toEntry(recorded: Recorded, classify: ClassifyRequest): Promise<EntryContent> {
  const request = classify(recorded.method, recorded.url);
  if (typeof request === 'string') return skip(request);
  const status = readStatus(recorded.status ?? 0);
  if (status === undefined) return skip('malformed entry');
  const reason = recorded.ended ?? skipReasonOf(status, request.lookup);
  if (reason) return skip(reason);
  const headers = readHeaders(recorded.headers);
  if (status === partialContent && isPart(recorded.requestHeaders, headers))
    return skip('undocumented request');
  const { isAttached = false, ...held } = checkHeaders(await recorded.readBody(), headers);
  const { url } = request;
  const accept = readHeader(recorded.requestHeaders, 'accept');
  const { startedAt, durationMs } = recorded;
  const time = { startedAt, durationMs };
  return { kind: 'exchange', method: 'GET', url, accept, status, headers, ...held, isAttached, ...time };
}

/** Whether a part of the body was requested, which the contract does not document. */
const isPart = (requestHeaders: unknown, headers: Readonly<Record<string, string>>): boolean =>
  readHeader(requestHeaders, 'range') !== undefined || Object.hasOwn(headers, 'content-range');

const skip = (reason: SkipReason): EntryContent => ({ kind: 'skipped', reason });
