import { type Check, note, ok, wrong } from './check.ts';

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
  // `Date` has whole seconds.
  if (Math.abs(aheadMs) < 2000) return ok('clock', 'as that of the target');
  const text = `${lengthOf(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the target`;
  if (Math.abs(aheadMs) <= tolerableSkewMs) return ok('clock', text);
  return signs
    ? wrong('clock', `${text}: a signature that holds the time is rejected; set the clock of this machine`)
    : note('clock', `${text}: set the clock of this machine before requests are signed`);
}

const lengthOf = (ms: number) =>
  ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;

interface Announced {
  requests: number;
  seconds: number | undefined;
}

/** What rate the target announces, against `MAX_RPS`. */
export function rateCheck(headers: Headers, maxRps: number): Check {
  const announced = announcedRate(headers);
  if (!announced) return ok('rate', 'the target announces no limit');
  const { requests, seconds } = announced;
  if (seconds === undefined)
    return ok('rate', `the target announces ${requests} requests, without saying in what time`);
  const text = `the target announces ${requests} requests in ${seconds} s`;
  const max = Math.floor((requests / seconds) * 100) / 100;
  return maxRps > max
    ? note('rate', `${text}, and MAX_RPS allows more: set MAX_RPS=${Math.max(max, 0.01)}`)
    : ok('rate', text);
}

/** The limit of `RateLimit-Policy` (its drafts write `100;w=60` and `"a";q=100;w=60`), or of the older headers. */
function announcedRate(headers: Headers): Announced | undefined {
  const policy = /(?:^|[;,\s])(?:q=)?(\d{1,9});\s*w=(\d{1,9})/.exec(
    textOf(headers, 'ratelimit-policy', 'ratelimit-limit'),
  );
  if (policy && Number(policy[2]) > 0) return { requests: Number(policy[1]), seconds: Number(policy[2]) };
  const limit = /^(\d{1,9})\b/.exec(
    textOf(headers, 'ratelimit-limit', 'x-ratelimit-limit', 'x-rate-limit-limit'),
  );
  return limit ? { requests: Number(limit[1]), seconds: undefined } : undefined;
}

/** The first of some headers that is there; none of them is long. */
function textOf(headers: Headers, ...names: string[]): string {
  const name = names.find((one) => Object.hasOwn(headers, one));
  return (name === undefined ? '' : (headers[name] ?? '')).slice(0, 200);
}
