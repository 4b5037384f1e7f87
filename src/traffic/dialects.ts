import { type RecordedBody, readHarBody, readLineBody } from './body.ts';
import { amountMember, member, textMember, timeMember } from './members.ts';
import type { SkipReason } from './recorded.ts';
import type { ReadAttachment } from './sources.ts';

/** What a dialect finds in an entry, unchecked. */
export interface FoundEntry {
  method: string | undefined;
  url: string | undefined;
  requestHeaders: unknown;
  status: unknown;
  headers: unknown;
  /** ISO 8601 in UTC, when the recording says it without doubt. */
  startedAt: string | undefined;
  durationMs: number | undefined;
  /** Why the target did not answer, or not in full. */
  ended?: SkipReason | undefined;
  /** Read only where the entry counts. */
  readBody(): RecordedBody | Promise<RecordedBody>;
}

/** What an element of `log.entries` holds, in any dialect of HAR. */
export function readHarEntry(entry: unknown, readAttachment: ReadAttachment): FoundEntry {
  const [request, response] = [member(entry, 'request'), member(entry, 'response')];
  return {
    method: textMember(request, 'method'),
    url: textMember(request, 'url'),
    requestHeaders: member(request, 'headers'),
    status: member(response, 'status'),
    headers: member(response, 'headers'),
    startedAt: timeMember(entry, 'startedDateTime'),
    durationMs: amountMember(entry, 'time'),
    ended: howItEnded(entry, response),
    readBody: () => readHarBody(member(response, 'content'), readAttachment),
  };
}

/** What recorders say, in members of their own, of a request that the target did not answer in full. */
function howItEnded(entry: unknown, response: unknown): SkipReason | undefined {
  const failed = [textMember(response, '_error'), textMember(response, '_failureText')].some(Boolean);
  const charles = textMember(response, '_charlesStatus') ?? 'COMPLETE';
  if (member(entry, '_wasAborted') === true || failed || !/^complete$/i.test(charles)) return 'aborted';
  if (member(entry, '_wasFulfilled') === true) return 'answered by a test';
  const worker = member(response, '_fetchedViaServiceWorker') === true;
  const passedOn = member(response, '_serviceWorkerResponseSource') === 'network';
  return member(entry, '_fromCache') || (worker && !passedOn) ? 'from a cache or service worker' : undefined;
}

/** What a line of newline-delimited JSON holds: `method`, `url`, `status`, `headers` (of the response), a body, `startedAt`, `durationMs`. */
export const readLineEntry = (entry: unknown): FoundEntry => ({
  method: textMember(entry, 'method'),
  url: textMember(entry, 'url'),
  requestHeaders: undefined,
  status: member(entry, 'status'),
  headers: member(entry, 'headers'),
  startedAt: timeMember(entry, 'startedAt'),
  durationMs: amountMember(entry, 'durationMs'),
  readBody: () => readLineBody(entry),
});
