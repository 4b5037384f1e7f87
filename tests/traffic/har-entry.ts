import type { Recorded } from './dialect.ts';
import { readHarBody } from './har-body.ts';
import { durationMember, member, textMember, timeMember } from './members.ts';
import type { ReadAttachment, SkipReason } from './recorded-entry.ts';

/** What an element of `log.entries` holds, in any dialect of HAR. */
export function readHarEntry(entry: unknown, readAttachment: ReadAttachment): Recorded {
  const [request, response] = [member(entry, 'request'), member(entry, 'response')];
  return {
    method: textMember(request, 'method'),
    url: textMember(request, 'url'),
    requestHeaders: member(request, 'headers'),
    status: member(response, 'status'),
    headers: member(response, 'headers'),
    startedAt: timeMember(entry, 'startedDateTime'),
    durationMs: durationMember(entry, 'time'),
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
