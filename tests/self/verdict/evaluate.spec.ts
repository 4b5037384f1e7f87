import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { computeCoverage } from '../../../src/verdict/coverage.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import {
  evaluateReplies,
  exampleTarget,
  isFor,
  json,
  observeReplies,
  type Reply,
  rejecting,
  replying,
} from '../harness/examples.ts';
import { listAddressesWith } from '../harness/provider.ts';
import { formatOutputs, html, judgeReplies } from '../reports/report-outputs.ts';

const [configuredCustomer] = exampleTarget().identifiers.CUSTOMER_IDS ?? [];
const [firstCard = '', secondCard = ''] = exampleTarget().identifiers.CARD_IDS ?? [];

const createBareResponse = (status: number): HttpResponse => ({ status, headers: {}, body: Buffer.from('') });

const selectRequests = (operation: string, name: string, value?: string) =>
  isFor(operation, ({ parameters }) => {
    if (!(name in parameters)) return false;
    return value === undefined || parameters[name] === value;
  });

const isFirstCard = selectRequests('getCard', 'id', firstCard);
const isSecondCard = selectRequests('getCard', 'id', secondCard);
const hasListParameter = isFor('listCustomers', ({ parameters: { limit, linked_source_type } }) =>
  Boolean(limit ?? linked_source_type),
);

/** Creates a `Reply` that sends `response` to each request after the first `acceptedCount`. */
const replyingAfter = (acceptedCount: number, response: HttpResponse): Reply => {
  let requestCount = 0;
  return (_, usual) => {
    requestCount += 1;
    return requestCount > acceptedCount ? response : usual;
  };
};

const denialPattern = /^the credentials are rejected with HTTP 401: set/;
const codeDenialPattern = /^the credentials are rejected with HTTP 200 and an error in the body: set/;
const rateLimit = { ...json(403, { message: 'x' }), headers: { 'x-ratelimit-remaining': '0' } };
const refusedConnection = { blocked: 'the connection was refused' };
const listParameters = ['listCustomers/parameters/limit', 'listCustomers/parameters/linked_source_type'];

interface Row {
  reply: Reply;
  violated?: string[];
  blocked?: string[];
  blockedPattern?: RegExp;
}

const operations = loadContract().operations.map(({ id }) => id);
const allOperations = operations.toSorted();

const foreignRows: [name: string, response: HttpResponse, because: RegExp][] = [
  ['a login page', html, /HTTP 200 with text\/html/],
  ['a redirect to a login page', createBareResponse(302), /HTTP 302 with no Content-Type/],
  ['the JSON of another API', json(200, { status: 'ok', items: [] }), /HTTP 200 with application\/json/],
  ['an empty body', { ...json(200, {}), body: Buffer.from('') }, /HTTP 200 with/],
  ['no content', createBareResponse(204), /HTTP 204 with no Content-Type/],
  ['HTTP 401 with a page', { ...html, status: 401 }, /HTTP 401: set or check API_HEADERS, TOKEN_URL/],
];

/** Returns the parts of a response to replace, such as `{ status: 201 }`. */
type ResponseEdit = (response: HttpResponse, parsedBody: object) => Partial<HttpResponse>;

const faultRows: [name: string, edit: ResponseEdit, violated: string][] = [
  ['HTTP 201', () => ({ status: 201 }), 'http/status'],
  ['no media type', () => ({ headers: {} }), 'http/content-type'],
  ['a comma too many', ({ body }) => ({ body: Buffer.from(String(body).replace(/}$/, ',}')) }), 'http/json'],
  ['no code', (_, body) => json(200, { ...body, code: undefined }), 'code'],
];

const errorInSuccess = json(200, { code: 40_401, message: 'no', data: null });

const editSuccesses =
  (edit: ResponseEdit): Reply =>
  (_, response) => {
    if (response.status !== 200) return response;
    const body = JSON.parse(Buffer.from(response.body).toString());
    return { ...response, ...edit(response, body) };
  };

const rowsForAllOperations: Record<string, Row> = {};
for (const [name, response, blockedPattern] of foreignRows)
  rowsForAllOperations[`${name} for everything`] = {
    reply: replying(response),
    blocked: allOperations,
    blockedPattern,
  };
for (const [name, edit, violated] of faultRows)
  rowsForAllOperations[`${name} in everything`] = {
    reply: editSuccesses(edit),
    violated: operations.map((id) => `${id}/${violated}`),
  };

const rows: Record<string, Row> = {
  ...rowsForAllOperations,
  'a provider that conforms to the contract': { reply: (_, usual) => usual },
  'an error in HTTP 200 for everything': {
    reply: replying(errorInSuccess),
    blocked: allOperations,
    blockedPattern: /^the target rejected every request, here with HTTP 200 and an error in the body: check/,
  },
  'an error in HTTP 200 for one operation': {
    reply: replying(errorInSuccess, isFor('listCustomers')),
    violated: ['listCustomers/code'],
  },
  'an error in HTTP 200 for every configured card': {
    reply: replying(errorInSuccess, isFor('getCard')),
    blocked: ['getCard'],
    blockedPattern: /^every identifier of CARD_IDS was rejected with HTTP 200 and an error in the body: /,
  },
  'an error code of text beside an empty card, for every configured card': {
    reply: replying(
      json(200, { code: 'CARD_NOT_FOUND', message: 'x', data: { card: null } }),
      isFor('getCard'),
    ),
    blocked: ['getCard'],
    blockedPattern: /^every identifier of CARD_IDS was rejected with HTTP 200 and an error in the body: /,
  },
  'an error code of text beside an empty card, for one card': {
    reply: replying(json(200, { code: 'CARD_NOT_FOUND', message: 'x', data: { card: null } }), isFirstCard),
    violated: ['getCard/code'],
  },
  'code 401 in HTTP 200 for everything': {
    reply: replying(json(200, { code: 401, message: 'no', data: null })),
    blocked: allOperations,
    blockedPattern: codeDenialPattern,
  },
  'code 500 in HTTP 200 for everything': {
    reply: replying(json(200, { code: 500, message: 'no', data: null })),
    blocked: allOperations,
    blockedPattern: /^every response is a server error, here HTTP 200 and an error in the body: /,
  },
  '401 for everything': { reply: rejecting(401), blocked: allOperations },
  'a login page for everything, and no connection for one card': {
    reply: (request) => (isFirstCard(request) ? refusedConnection : html),
    blocked: allOperations,
    blockedPattern: /HTTP 200 with text\/html|refused/,
  },
  '401 for one operation': {
    reply: rejecting(401, isFor('listCustomers')),
    blocked: ['listCustomers'],
    blockedPattern: /^the credentials are rejected with HTTP 401: set/,
  },
  // A token that expires during the run.
  '401 from the tenth request on': {
    reply: replyingAfter(9, json(401, { code: 401 })),
    blocked: allOperations,
    blockedPattern: denialPattern,
  },
  'code 401 in HTTP 200 from the tenth request on': {
    reply: replyingAfter(9, json(200, { code: 401, message: 'no', data: null })),
    blocked: allOperations,
    blockedPattern: codeDenialPattern,
  },
  '401 for one card': {
    reply: rejecting(401, isFirstCard),
    blocked: ['getCard'],
    blockedPattern: denialPattern,
  },
  // A gateway of which one instance does not know the key yet.
  '401 for pages of 50': {
    reply: rejecting(401, selectRequests('listCustomers', 'limit', '50')),
    blocked: ['listCustomers'],
    blockedPattern: denialPattern,
  },
  '401 for an offset of 1': {
    reply: rejecting(401, selectRequests('listCustomers', 'offset', '1')),
    blocked: ['listCustomers'],
    blockedPattern: denialPattern,
  },
  '401 for every user, and for a user lookup without user_id': {
    reply: rejecting(401, selectRequests('getFeeRules', 'type', 'user')),
    blocked: ['getFeeRules'],
    blockedPattern: denialPattern,
  },
  '403 for one card': { reply: rejecting(403, isFirstCard), violated: ['getCard/parameters/id'] },
  '403 of a rate limit, as of GitHub, from the tenth request on': {
    reply: replyingAfter(9, rateLimit),
    blocked: allOperations,
    blockedPattern: /^the target responded with HTTP 403: it may be overloaded, or limit the rate/,
  },
  'a page with HTTP 403, as of a gateway, for one operation': {
    reply: replying({ ...html, status: 403 }, isFor('getCard')),
    blocked: ['getCard'],
    blockedPattern: /^access is denied with HTTP 403: check the credentials .*, and any gateway/,
  },
  '400 for either of two parameters': { reply: rejecting(400, hasListParameter), violated: listParameters },
  '503 for one request': { reply: rejecting(503, isFirstCard), blocked: ['getCard'] },
  'code 429 in HTTP 200 for one card': {
    reply: replying(json(200, { code: 429, data: {} }), isFirstCard),
    blocked: ['getCard'],
    blockedPattern: /^the target responded with HTTP 200 with code 429: it may be overloaded/,
  },
  'code 503 in HTTP 200 for one operation': {
    reply: replying(json(200, { code: 503, data: { customers: [] } }), isFor('listCustomers')),
    blocked: ['listCustomers'],
  },
  'code 503 in HTTP 201 for one card': {
    reply: replying(json(201, { code: 503, data: null }), isFirstCard),
    blocked: ['getCard'],
    blockedPattern: /^the target responded with HTTP 201 and an error in the body: /,
  },
  '500 for everything': { reply: rejecting(500), blocked: allOperations },
  '500 and 503 by turns': {
    reply: ({ path }) => json(path.length % 2 ? 500 : 503, {}),
    blocked: allOperations,
  },
  '404 for every configured card': { reply: rejecting(404, isFor('getCard')), blocked: ['getCard'] },
  '404 for the configured customer, not for listed ones': {
    reply: rejecting(404, selectRequests('getCustomer', 'id', configuredCustomer)),
    blocked: ['getCustomer'],
  },
  '404 for every user': {
    reply: rejecting(404, selectRequests('getFeeRules', 'user_id')),
    blocked: ['getFeeRules'],
  },
  'no connection for one card, and a wrong body for another': {
    reply: (request, usual) => {
      if (isFirstCard(request)) return refusedConnection;
      return isSecondCard(request) ? json(200, { code: 200, message: 7, data: {} }) : usual;
    },
    violated: ['getCard/message', 'getCard/data/card'],
    blocked: ['getCard'],
    blockedPattern: /^the connection was refused/,
  },
};

for (const [name, { reply, violated = [], blocked = [], blockedPattern = /\w+ \w+/ }] of Object.entries(
  rows,
)) {
  const effects = [...violated.map((address) => `breaks ${address}`), ...blocked.map((id) => `blocks ${id}`)];
  test(`${name} ${effects.join(' and ') || 'breaks nothing'}`, async () => {
    const { requirementResults, observations } = await evaluateReplies(reply);
    expect(listAddressesWith(requirementResults, 'violation')).toEqual(violated);
    const blockedResults = requirementResults.filter(({ verdict }) => verdict === 'blocked');
    expect([...new Set(blockedResults.map(({ operation }) => operation))].sort()).toEqual(blocked);
    expect(blockedResults.filter(({ reason = '' }) => !blockedPattern.test(reason))).toEqual([]);
    const duplicatedObservations = [...observations.toReversed(), ...observations];
    expect(evaluateWithoutFindings(sumObservations(duplicatedObservations))).toEqual(
      evaluateWithoutFindings(duplicatedObservations),
    );
  });
}

test('a page for every request is an error of the gate run/target, and every output names what to check', async () => {
  const run = await judgeReplies(replying(html));
  expect(run.verdict).toBe('error');
  expect(run.gates).toContainEqual(expect.objectContaining({ address: 'run/target', verdict: 'error' }));
  const sentencePattern =
    /no response looks like the API.*HTTP 200 with text\/html.*is this the API, are the credentials right\?/;
  for (const [output, text] of Object.entries(formatOutputs(run)))
    expect(text, output).toMatch(sentencePattern);
});

const sumObservations = (observations: Observation[]) => new Totals(observations).observations;

function evaluateWithoutFindings(observations: Observation[]) {
  const results = { run: undefined, observations };
  const { requirementResults } = evaluate(loadContract(), exampleTarget(), results);
  // A sum of observations (`Totals`) may lack some of the findings.
  return requirementResults.map(({ findings: _, ...resultWithoutFindings }) => resultWithoutFindings);
}

test('a documented value of a parameter is not covered if no request with it succeeds', async () => {
  const isStoreList = selectRequests('listCustomers', 'linked_source_type', 'Store');
  const observations = await observeReplies(rejecting(400, isStoreList));
  const { states, seen: stateCounts } = computeCoverage(loadContract(), observations);
  expect(stateCounts['getFeeRules/parameters/type = business']).toBeGreaterThan(0);
  expect(states.missing.filter((state) => state.includes('/parameters/'))).toEqual([
    'listCustomers/parameters/linked_source_type = Store',
  ]);
});
