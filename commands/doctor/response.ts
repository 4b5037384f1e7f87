import type { Operation } from '../../schemas/contract/contract.ts';
import { classifyStatus, type ResponseKind } from '../../schemas/judge/classify-response.ts';
import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import { carriesRecord, claimsSuccess } from '../../schemas/judge/success-or-error.ts';
import type { Effort } from '../../tests/client/http-client.ts';
import { type Check, note, ok, wrong } from './check.ts';

/** What a response says of target and credentials. @param credentials by what the request was authenticated, if at all */
export function responseChecks(
  operation: Operation,
  exchange: string,
  response: HttpResponse & Effort,
  credentials: string,
): Check[] {
  const { status, durationMs = 0 } = response;
  const answered = ok('target', `answered ${exchange} with HTTP ${status} in ${durationMs} ms`);
  const kind = classifyStatus(operation, status);
  if (kind === 'unauthorized') return [answered, rejected(status, credentials)];
  const reason = problems[kind];
  if (reason) return [wrong('target', `answered ${exchange} with HTTP ${status}: ${reason}`)];
  return [answered, ...apiChecks(operation, response, credentials)];
}

const problems: Partial<Record<ResponseKind, string>> = {
  proxy: 'check the user and password of the proxy',
  'rate limit': 'too many requests; wait, and lower MAX_RPS',
  overload: 'it is overloaded or out of order; try again later',
  'server error': 'it is out of order; ask those who run it',
};

const rejected = (status: number, credentials: string) =>
  wrong(
    'credentials',
    `rejected with HTTP ${status}: ${credentials ? `check ${credentials}` : 'none are configured; set API_HEADERS or AUTH_MODULE'}`,
  );

function apiChecks(operation: Operation, response: HttpResponse, credentials: string): Check[] {
  if (claimsSuccess(operation, response))
    return [ok('credentials', credentials ? `accepted: ${credentials}` : 'none are configured, or needed')];
  if (response.status >= 300 && response.status < 400)
    return [wrong('target', 'it redirects, and no redirect is followed: check BASE_URL and the credentials')];
  if (carriesRecord(operation, response))
    return [
      note('target', 'the response has records, but not as documented: run the suite to see what is wrong'),
    ];
  const what = isPage(response) ? 'a web page, perhaps a login,' : 'a response';
  return [
    wrong(
      'target',
      `${what} that does not look like the API: check the path of BASE_URL and the credentials`,
    ),
  ];
}

const isPage = ({ contentType = '' }: HttpResponse) => /^text\/html\b/i.test(contentType);
