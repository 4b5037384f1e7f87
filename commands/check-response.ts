import type { Operation } from '../schemas/contract/contract.ts';
import { classify, type ResponseKind } from '../schemas/judge/classify.ts';
import type { HttpResponse } from '../schemas/judge/judged.ts';
import type { Effort } from '../src/client/http-client.ts';

/** What one line of the doctor says: in order, worth a look, or wrong, which makes its exit status 1. */
export interface Check {
  state: 'ok' | 'note' | 'wrong';
  about: string;
  says: string;
}

/** @param says what is in order */
export const ok = (about: string, says: string): Check => ({ state: 'ok', about, says });

/** @param says what is worth a look, and keeps no run from its verdict */
export const note = (about: string, says: string): Check => ({ state: 'note', about, says });

/** @param says what is wrong, and what to do */
export const wrong = (about: string, says: string): Check => ({ state: 'wrong', about, says });

const problems: Partial<Record<ResponseKind, string>> = {
  proxy: 'check the user and password of the proxy',
  'rate limit': 'too many requests; wait, and lower MAX_RPS',
  overload: 'it is overloaded or out of order; try again later',
  'server error': 'it is out of order; ask those who run it',
};

/** What a response says of target and credentials. @param credentials by what the request was authenticated, if at all */
export function responseChecks(
  operation: Operation,
  exchange: string,
  response: HttpResponse & Effort,
  credentials: string,
): Check[] {
  const { status, durationMs = 0, contentType = '' } = response;
  const { kind, hasEnvelope, hasRecord } = classify(operation, response);
  const reason = problems[kind];
  if (reason) return [wrong('target', `answered ${exchange} with HTTP ${status}: ${reason}`)];
  const answered = ok('target', `answered ${exchange} with HTTP ${status} in ${durationMs} ms`);
  const check = credentials
    ? `check ${credentials}`
    : 'none are configured; set API_HEADERS, TOKEN_URL or AUTH_MODULE';
  if (kind === 'unauthorized')
    return [answered, wrong('credentials', `rejected with HTTP ${status}: ${check}`)];
  const accepted = credentials ? `accepted: ${credentials}` : 'none are configured, or needed';
  if (kind === 'success' && hasEnvelope) return [answered, ok('credentials', accepted)];
  return [answered, otherCheck(status, hasRecord, /^text\/html\b/i.test(contentType))];
}

function otherCheck(status: number, hasRecord: boolean, isPage: boolean): Check {
  if (status >= 300 && status < 400)
    return wrong('target', 'it redirects, and no redirect is followed: check BASE_URL and the credentials');
  if (hasRecord)
    return note(
      'target',
      'the response has records, but not as documented: run the suite to see what is wrong',
    );
  const what = isPage ? 'a web page, perhaps a login,' : 'a response';
  return wrong(
    'target',
    `${what} that does not look like the API: check the path of BASE_URL and the credentials`,
  );
}

/** Headers of a response, names in lower case. */
type Headers = Readonly<Record<string, string>>;

const tolerableSkewMs = 60_000;

/**
 * How far the clock of this machine is from that of the target (`Date`, RFC 9110 section 6.6.1, and `Age` of a cache).
 * @param signs whether requests are signed, and a signature may hold the time
 */
export function clockCheck(headers: Headers, now: number, signs: boolean): Check {
  const date = Date.parse(headers.date ?? '');
  const age = /^\d{1,9}$/.test(headers.age ?? '') ? Number(headers.age) * 1000 : 0;
  if (Number.isNaN(date)) return note('clock', 'the target sends no date to compare with');
  const aheadMs = now - (date + age);
  const skewMs = Math.abs(aheadMs);
  // `Date` has whole seconds.
  if (skewMs < 2000) return ok('clock', 'as that of the target');
  const length = skewMs < 120_000 ? `${Math.round(skewMs / 1000)} s` : `${Math.round(skewMs / 60_000)} min`;
  const text = `${length} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the target`;
  if (skewMs <= tolerableSkewMs) return ok('clock', text);
  return signs
    ? wrong('clock', `${text}: a signature that holds the time is rejected; set the clock of this machine`)
    : note('clock', `${text}: set the clock of this machine before requests are signed`);
}
