import { checkHeaders, cut, type RecordedBody } from './body.ts';
import { classifyRequest, readStatus, skipReasonOf } from './classify.ts';
import { readHeaders } from './headers.ts';
import type { EntryContent, FindRoute, SkipReason } from './recorded-entry.ts';

/** What a dialect finds in an entry, unchecked. */
export interface Recorded {
  method: string | undefined;
  url: string | undefined;
  requestHeaders: unknown;
  status: unknown;
  headers: unknown;
  startedAt: string | undefined;
  /** Why the target did not answer, or not in full. */
  ended: SkipReason | undefined;
  readBody(): RecordedBody | Promise<RecordedBody>;
}

const partialContent = 206;

/** What an entry says in any dialect. Its body is read only when it counts. */
export async function toEntry(recorded: Recorded, findRoute: FindRoute | undefined): Promise<EntryContent> {
  const request = classifyRequest(recorded.method, recorded.url, findRoute);
  if (typeof request === 'string') return skip(request);
  const status = readStatus(recorded.status ?? 0);
  if (status === undefined) return skip('malformed entry');
  const reason = recorded.ended ?? skipReasonOf(status, request.lookup);
  if (reason) return skip(reason);
  const headers = readHeaders(recorded.headers);
  const body = status === partialContent ? cut : checkHeaders(await recorded.readBody(), headers);
  const { method, url } = request;
  const { accept } = readHeaders(recorded.requestHeaders);
  const { startedAt } = recorded;
  return { kind: 'exchange', method, url, accept, status, headers, ...body, startedAt };
}

const skip = (reason: SkipReason): EntryContent => ({ kind: 'skipped', reason });
