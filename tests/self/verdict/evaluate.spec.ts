import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { coverageOf } from '../../../src/verdict/coverage.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import {
  exampleTarget,
  json,
  observationsOf,
  of,
  type Reply,
  rejecting,
  replying,
  resultsOf,
} from '../harness/examples.ts';
import { addressesWith } from '../harness/provider.ts';
import { html, outputsOf, reportOf } from '../reports/report-outputs.ts';

const [configuredCustomer] = exampleTarget().identifiers.CUSTOMER_IDS ?? [];
const [firstCard = '', secondCard = ''] = exampleTarget().identifiers.CARD_IDS ?? [];

const bare = (status: number): HttpResponse => ({ status, headers: {}, body: Buffer.from('') });

/** Requests of an operation that have a parameter, of one value where that is named. */
const having = (operation: string, name: string, value?: string) =>
  of(
    operation,
    ({ parameters }) => name in parameters && (value === undefined || parameters[name] === value),
  );

const [first, second] = [having('getCard', 'id', firstCard), having('getCard', 'id', secondCard)];
const isNarrowed = of('listCustomers', ({ parameters: { limit, linked_source_type } }) =>
  Boolean(limit ?? linked_source_type),
);
const refused = { blocked: 'the connection was refused' };
const narrowing = ['listCustomers/parameters/limit', 'listCustomers/parameters/linked_source_type'];

interface Row {
  reply: Reply;
  violated?: string[];
  /** Operations of which some requirement is blocked. */
  blocked?: string[];
  /** Why. */
  because?: RegExp;
}

const operations = loadContract().operations.map(({ id }) => id);
const everything = operations.toSorted();

/** Responses that are none of the API's, and what is said to have been received. */
const foreign: [name: string, answer: HttpResponse, because: RegExp][] = [
  ['a login page', html, /HTTP 200 with text\/html/],
  ['a redirect to a login page', bare(302), /HTTP 302 with no Content-Type/],
  ['the JSON of another API', json(200, { status: 'ok', items: [] }), /HTTP 200 with application\/json/],
  ['an empty body', { ...json(200, {}), body: Buffer.from('') }, /HTTP 200 with/],
  ['no content', bare(204), /HTTP 204 with no Content-Type/],
  ['HTTP 401 with a page', { ...html, status: 401 }, /HTTP 401: set or check API_HEADERS, TOKEN_URL/],
];

/** What is wrong in every response, but is one of the API's all the same. */
const everywhere: [name: string, edit: (answer: HttpResponse, body: object) => object, breaks: string][] = [
  ['HTTP 201', () => ({ status: 201 }), 'http/status'],
  ['no media type', () => ({ headers: {} }), 'http/content-type'],
  ['a comma too many', ({ body }) => ({ body: Buffer.from(String(body).replace(/}$/, ',}')) }), 'http/json'],
  ['no code', (_, body) => json(200, { ...body, code: undefined }), 'code'],
];

const altered =
  (edit: (typeof everywhere)[number][1]): Reply =>
  (_, usual) =>
    usual.status === 200
      ? { ...usual, ...edit(usual, JSON.parse(Buffer.from(usual.body).toString())) }
      : usual;

const ofForeign = foreign.map(([name, answer, because]): [string, Row] => [
  `${name} for everything`,
  { reply: replying(answer), blocked: everything, because },
]);
const ofEverywhere = everywhere.map(([name, edit, breaks]): [string, Row] => [
  `${name} in everything`,
  { reply: altered(edit), violated: operations.map((id) => `${id}/${breaks}`) },
]);

const rows: Record<string, Row> = {
  ...Object.fromEntries([...ofForeign, ...ofEverywhere]),
  'a provider that keeps the contract': { reply: (_, usual) => usual },
  'an error in HTTP 200 for everything': {
    reply: replying(json(200, { code: 40_401, message: 'no', data: null })),
    violated: operations.map((id) => `${id}/code`),
  },
  '401 for everything': { reply: rejecting(401), blocked: everything },
  'a login page for everything, and no connection for one card': {
    reply: (asked) => (first(asked) ? refused : html),
    blocked: everything,
    because: /HTTP 200 with text\/html|refused/,
  },
  '401 for one operation': { reply: rejecting(401, of('listCustomers')), blocked: ['listCustomers'] },
  '400 for either of two parameters': { reply: rejecting(400, isNarrowed), violated: narrowing },
  '503 for one request': { reply: rejecting(503, first), blocked: ['getCard'] },
  'code 429 in HTTP 200 for one card': {
    reply: replying(json(200, { code: 429, data: {} }), first),
    blocked: ['getCard'],
  },
  'code 503 in HTTP 200 for one operation': {
    reply: replying(json(200, { code: 503, data: { customers: [] } }), of('listCustomers')),
    blocked: ['listCustomers'],
  },
  '500 for everything': { reply: rejecting(500), blocked: everything },
  '500 and 503 by turns': { reply: ({ path }) => json(path.length % 2 ? 500 : 503, {}), blocked: everything },
  '404 for every configured card': { reply: rejecting(404, of('getCard')), blocked: ['getCard'] },
  '404 for the configured customer, not for listed ones': {
    reply: rejecting(404, having('getCustomer', 'id', configuredCustomer)),
    blocked: ['getCustomer'],
  },
  '404 for every user': { reply: rejecting(404, having('getFeeRules', 'user_id')), blocked: ['getFeeRules'] },
  'no connection for one card, and a wrong body for another': {
    reply: (asked, usual) => {
      if (first(asked)) return refused;
      return second(asked) ? json(200, { code: 200, message: 7, data: {} }) : usual;
    },
    violated: ['getCard/message', 'getCard/data/card'],
    blocked: ['getCard'],
    because: /^the connection was refused/,
  },
};

for (const [name, { reply, violated = [], blocked = [], because = /\w+ \w+/ }] of Object.entries(rows)) {
  const said = [...violated.map((address) => `breaks ${address}`), ...blocked.map((id) => `blocks ${id}`)];
  test(`${name} ${said.join(' and ') || 'breaks nothing'}`, async () => {
    const { requirementResults, observations } = await resultsOf(reply);
    expect(addressesWith(requirementResults, 'violation')).toEqual(violated);
    const stopped = requirementResults.filter(({ verdict }) => verdict === 'blocked');
    expect([...new Set(stopped.map(({ operation }) => operation))].sort()).toEqual(blocked);
    expect(stopped.filter(({ reason = '' }) => !because.test(reason))).toEqual([]);
    const twice = [...observations.toReversed(), ...observations];
    expect(evaluated(totalsOf(twice))).toEqual(evaluated(twice));
  });
}

test('a page for everything is an error of the gate run/target, and every output says what to check', async () => {
  const run = await reportOf(replying(html));
  expect(run).toMatchObject({ verdict: 'error', gates: [{ address: 'run/target', verdict: 'error' }] });
  const says =
    /no response looks like the API.*HTTP 200 with text\/html.*is this the API, are the credentials right\?/;
  for (const [output, text] of Object.entries(outputsOf(run))) expect(text, output).toMatch(says);
});

const totalsOf = (all: Observation[]) => new Totals(all).observations;

/** What observations say, but for the findings, of which fewer are listed when they are folded. */
function evaluated(observations: Observation[]) {
  const results = { run: undefined, observations };
  const { requirementResults } = evaluate(loadContract(), exampleTarget(), results);
  return requirementResults.map(({ findings: _, ...rest }) => rest);
}

test('a documented value of a parameter that no request was answered with is not covered', async () => {
  const ofStores = having('listCustomers', 'linked_source_type', 'Store');
  const observations = await observationsOf(rejecting(400, ofStores));
  const { states, seen } = coverageOf(loadContract(), observations);
  expect(seen['getFeeRules/parameters/type = business']).toBeGreaterThan(0);
  expect(states.missing.filter((state) => state.includes('/parameters/'))).toEqual([
    'listCustomers/parameters/linked_source_type = Store',
  ]);
});
