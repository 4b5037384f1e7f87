import { altering, set } from '../../../mock/edits.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import type { Canaries } from './canaries.ts';
import { greenRecord, provider, redRecord } from './marked.ts';

/** Headers of every answer, among them such as the suite reads. */
export function headersOf(canaries: Canaries): Record<string, string> {
  const names = ['server', 'etag', 'via', 'x-ratelimit-remaining', 'api-version', 'cache-control', 'x-owner'];
  return {
    ...Object.fromEntries(names.map((name) => [name, canaries.of(`header ${name}`)])),
    [`x-${canaries.of('name of a header')}`]: '1',
    'set-cookie': `session=${canaries.of('cookie')}; Path=/${canaries.of('path of the cookie')}`,
  };
}

/** Answers every request with a success. */
export const knowing = (canaries: Canaries): Alter => provider(greenRecord(canaries));

/** Answers every request with a success that breaks rules. */
export const breaking = (canaries: Canaries): Alter => provider(redRecord(canaries));

/** Knows the configured identifiers, and rejects all else by saying it back. */
export const echoing =
  (status: number) =>
  (canaries: Canaries): Alter =>
  (answer, request) => {
    const known = isKnown(canaries, answer, request);
    return known ? knowing(canaries)(answer, request) : { ...answer, ...echo(canaries, request), status };
  };

function isKnown(canaries: Canaries, { status }: MockAnswer, { parameters }: MockRequest): boolean {
  const { id, user_id } = parameters;
  return status === 200 || canaries.placesIn(id ?? user_id ?? '').length > 0;
}

/** Rejects everything by saying it back. */
export const echoingRejection =
  (status: number) =>
  (canaries: Canaries): Alter =>
  (answer, request) => ({ ...answer, ...echo(canaries, request), status });

/** All of a request, in headers and body. */
function echo(canaries: Canaries, request: MockRequest): Partial<MockAnswer> {
  const said = `GET ${request.path} ${JSON.stringify(request.headers)} ${canaries.text('error text')}`;
  const { raw, type } = /^get(Card|Customer)$/.test(request.operation ?? '')
    ? errorRecord(canaries, said)
    : errorPage(canaries, said);
  const headers = {
    ...headersOf(canaries),
    'content-type': type,
    'www-authenticate': `Basic realm="${canaries.of('realm')}"`,
    location: `https://${canaries.of('host')}.invalid/?token=${canaries.of('location')}`,
    'x-request': encodeURIComponent(said),
  };
  return { raw, headers };
}

const errorRecord = (canaries: Canaries, said: string) => ({
  type: 'application/json',
  raw: JSON.stringify({ code: 4000, message: said, [canaries.of('name of an error field')]: said }),
});

const errorPage = (canaries: Canaries, said: string) => ({
  type: `text/html; boundary=${canaries.of('boundary')}`,
  raw: `<!doctype html><title>${canaries.text('error page')}</title><pre>${said}</pre>`,
});

/** Redirects, breaks and cuts what it says. */
export const hostile =
  (canaries: Canaries): Alter =>
  (answer, request) => {
    const name = canaries.of('name that is there twice');
    const bodies: Record<string, string> = {
      getCard: `{"name":"${canaries.text('broken body')}`,
      getCustomer: `{"${name}":1,"${name}":2}`,
      getFeeRules: canaries.text('cut body').repeat(99),
    };
    const raw = bodies[request.operation ?? ''];
    // Without an offset a success, or nothing would look like the API.
    if (raw === undefined && !('offset' in request.parameters)) return knowing(canaries)(answer, request);
    if (raw === undefined) return { ...answer, ...echo(canaries, request), status: 302 };
    const headers = { ...headersOf(canaries), 'content-type': `text/${canaries.of('media type')}` };
    const sent = { ...answer, headers, status: 200, raw };
    return request.operation === 'getFeeRules' ? { ...sent, abort: 'middle' } : sent;
  };

/** Puts an identifier that reads like words where words and names may be shown. */
export const wording = (canaries: Canaries): Alter => {
  const phrase = canaries.phrase('user id in words');
  return inTurn(
    knowing(canaries),
    altering('getCard', set('data/card/status', phrase)),
    altering('getCard', set('data/card/physical_status', phrase)),
    altering('listCustomers', set(`data/${phrase}`, phrase)),
  );
};

/** Secrets that read like words. */
const wordings = ['API key in words', 'own cookie in words', 'password in words', 'signature in words'];

/** Puts every secret that reads like words, whole and cut, where words and names may be shown, in records that break rules. */
export const whispering = (canaries: Canaries): Alter => {
  const [key = '', cookie = '', password = '', signature = ''] = wordings.map((place) =>
    canaries.phrase(place),
  );
  const [half = '', rest = ''] = key.split('-');
  return inTurn(
    (answer, request) =>
      isKnown(canaries, answer, request)
        ? breaking(canaries)(answer, request)
        : { ...answer, status: 404, raw: JSON.stringify({ code: 404, [cookie]: key, [half]: rest }) },
    altering('getCard', set('data/card/status', key.toUpperCase())),
    altering('getCard', set('data/card/limits/0/period', half)),
    altering('getCard', set('data/card/limits/0/status', `${cookie}_x`)),
    altering('listCustomers', set(`data/${rest}`, 1)),
    altering('listCustomers', set(`${signature.replace('-', '_')}_count`, 1)),
    altering('getCustomer', set('data/customer/default_payment_token/token_type', password)),
    altering('getCustomer', set('data/customer/default_payment_token/state', key)),
    (answer, { operation }) => ({
      ...answer,
      headers: {
        ...answer.headers,
        [`x-${signature}-total`]: '1',
        'content-type':
          operation === 'getFeeRules' ? `text/${password.replace('-', '+')}` : 'application/json',
      },
    }),
  );
};

/** Hands out a token, and knows everything. */
export const bearing =
  (canaries: Canaries): Alter =>
  (answer, request) => {
    if (request.method !== 'POST') return knowing(canaries)(answer, request);
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: { access_token: canaries.of('bearer token'), expires_in: 3600 } };
  };

/** Never comes to an answer. */
export const unanswered = (): Alter => (answer) => ({ ...answer, delayMs: 60_000 });
