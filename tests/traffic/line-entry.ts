import { base64Body, missing, type RecordedBody, textBody, valueBody } from './body.ts';
import type { Recorded } from './dialect.ts';
import { durationMember, member, textMember, timeMember } from './members.ts';

/** What a line of newline-delimited JSON holds: `method`, `url`, `status`, `headers` (of the response), a body, `startedAt`, `durationMs`. */
export function readLineEntry(entry: unknown): Recorded {
  return {
    method: textMember(entry, 'method'),
    url: textMember(entry, 'url'),
    requestHeaders: undefined,
    status: member(entry, 'status'),
    headers: member(entry, 'headers'),
    startedAt: timeMember(entry, 'startedAt'),
    durationMs: durationMember(entry, 'durationMs'),
    ended: undefined,
    readBody: () => readLineBody(entry),
  };
}

/** `bodyBase64` holds the bytes, `body` the text, or the value that somebody has read from it. */
function readLineBody(entry: unknown): RecordedBody {
  const base64 = textMember(entry, 'bodyBase64');
  if (base64 !== undefined) return base64Body(base64);
  const body = member(entry, 'body') ?? undefined;
  if (body === undefined) return missing;
  return typeof body === 'string' ? textBody(body) : valueBody(body);
}
