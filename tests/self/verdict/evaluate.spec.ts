import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/seed.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { requirementsFor } from '../../../src/run/results.ts';
import { coverageOf } from '../../../src/verdict/coverage.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import {
  addressesWith,
  exampleTarget,
  json,
  observationsOf,
  of,
  type Reply,
  rejecting,
  replying,
  resultsOf,
} from '../harness/examples.ts';

const [configuredCustomer] = exampleTarget().identifiers.CUSTOMER_IDS ?? [];
const listedCustomer = customers[1]?.customer.uuid;
const [firstCard = '', secondCard = ''] = exampleTarget().identifiers.CARD_IDS ?? [];

/** Requests of an operation that have a parameter, of one value where that is named. */
const having = (operation: string, name: string, value?: string) =>
  of(
    operation,
    ({ parameters }) => name in parameters && (value === undefined || parameters[name] === value),
  );

interface Row {
  reply: Reply;
  violated?: string[];
  /** Operations of which some requirement is blocked. */
  blocked?: string[];
}

const everything = loadContract()
  .operations.map(({ id }) => id)
  .sort();

const rows: Record<string, Row> = {
  'a provider that keeps the contract': { reply: (_, usual) => usual },
  '401 for everything': { reply: rejecting(401), blocked: everything },
  '403 for everything': { reply: rejecting(403), blocked: everything },
  '407 for everything': { reply: rejecting(407), blocked: everything },
  '401 for one operation': { reply: rejecting(401, of('listCustomers')), blocked: ['listCustomers'] },
  '403 for one value of a parameter': {
    reply: rejecting(403, having('listCustomers', 'linked_source_type', 'Store')),
    violated: ['listCustomers/parameters/linked_source_type'],
  },
  '400 wherever a parameter is sent': {
    reply: rejecting(400, having('listCustomers', 'limit')),
    violated: ['listCustomers/parameters/limit'],
  },
  '400 for one request of many': {
    reply: rejecting(
      400,
      of('listCustomers', ({ path }) => path.endsWith('/customers')),
    ),
    violated: ['listCustomers/http/status'],
  },
  '400 for either of two parameters': {
    reply: rejecting(
      400,
      of('listCustomers', ({ parameters }) => 'limit' in parameters || 'linked_source_type' in parameters),
    ),
    violated: ['listCustomers/parameters/limit', 'listCustomers/parameters/linked_source_type'],
  },
  '503 for one request': {
    reply: rejecting(503, having('getCard', 'id', firstCard)),
    blocked: ['getCard'],
  },
  '429 for one operation': { reply: rejecting(429, of('getFeeRules')), blocked: ['getFeeRules'] },
  'code 429 in HTTP 200 for one card': {
    reply: replying(
      json(200, { code: 429, message: 'slow down', data: {} }),
      having('getCard', 'id', firstCard),
    ),
    blocked: ['getCard'],
  },
  'code 503 in HTTP 200 for one operation': {
    reply: replying(json(200, { code: 503, data: { customers: [] } }), of('listCustomers')),
    blocked: ['listCustomers'],
  },
  'code 500 in HTTP 200 for one operation': {
    reply: replying(json(200, { code: 500, data: null }), of('getCard')),
    violated: ['getCard/code'],
  },
  '500 for one operation': { reply: rejecting(500, of('getCard')), violated: ['getCard/http/status'] },
  '500 for one request': {
    reply: rejecting(500, having('getCard', 'id', secondCard)),
    violated: ['getCard/http/status'],
  },
  '500 for everything': { reply: rejecting(500), blocked: everything },
  '500 and 503 by turns': {
    reply: (asked) => json(asked.path.length % 2 ? 500 : 503, {}),
    blocked: everything,
  },
  '404 for every configured card': { reply: rejecting(404, of('getCard')), blocked: ['getCard'] },
  '404 for one card of two': {
    reply: rejecting(404, having('getCard', 'id', firstCard)),
    violated: ['getCard/parameters/id'],
  },
  '404 for the configured customer, not for listed ones': {
    reply: rejecting(404, having('getCustomer', 'id', configuredCustomer)),
    blocked: ['getCustomer'],
  },
  '404 for a listed customer': {
    reply: rejecting(404, having('getCustomer', 'id', listedCustomer)),
    violated: ['getCustomer/rules/listed-is-found'],
  },
  '404 for every user': {
    reply: rejecting(404, having('getFeeRules', 'user_id')),
    blocked: ['getFeeRules'],
  },
  'a redirect': { reply: rejecting(302, of('getCard')), violated: ['getCard/http/status'] },
  '204 without content': { reply: rejecting(204, of('getCard')), violated: ['getCard/http/status'] },
  'no connection for one operation': {
    reply: (asked, usual) =>
      asked.operation === 'getCard' ? { blocked: 'the connection was refused' } : usual,
    blocked: ['getCard'],
  },
};

for (const [name, { reply, violated = [], blocked = [] }] of Object.entries(rows)) {
  const said = [...violated.map((address) => `breaks ${address}`), ...blocked.map((id) => `blocks ${id}`)];
  test(`${name} ${said.join(' and ') || 'breaks nothing'}`, async () => {
    const { requirementResults, observations } = await resultsOf(reply);
    expect(addressesWith(requirementResults, 'violation')).toEqual(violated);
    const operations = requirementResults
      .filter(({ verdict }) => verdict === 'blocked')
      .map(({ operation }) => operation);
    expect([...new Set(operations)].sort()).toEqual(blocked);
    const stopped = requirementResults.filter(({ verdict }) => verdict === 'blocked');
    expect(stopped.filter(({ reason = '' }) => !/\w+ \w+/.test(reason))).toEqual([]);
    const twice = [...observations.toReversed(), ...observations];
    expect(evaluated(totalsOf(twice))).toEqual(evaluated(twice));
  });
}

const totalsOf = (observations: Observation[]) => new Totals(loadContract().operations, observations).list();

/** What observations say, but for the findings, of which fewer are listed when they are folded. */
function evaluated(observations: Observation[]) {
  const { profile, ...target } = exampleTarget();
  const requirements = requirementsFor(loadContract(), target);
  const { requirementResults } = evaluate(requirements, { observations }, profile);
  return requirementResults.map(({ findings: _, ...rest }) => rest);
}

test('what was blocked leaves the other requirements judged', async () => {
  const wrong = having('getCard', 'id', secondCard);
  const gone = having('getCard', 'id', firstCard);
  const { requirementResults } = await resultsOf((asked, usual) => {
    if (gone(asked)) return { blocked: 'the connection was refused' };
    return wrong(asked) ? json(200, { code: 200, message: 7, data: {} }) : usual;
  });
  expect(addressesWith(requirementResults, 'violation')).toEqual(['getCard/message', 'getCard/data/card']);
  expect(addressesWith(requirementResults, 'blocked')).toContain('getCard/http/status');
  expect(addressesWith(requirementResults, 'pass')).toEqual(
    expect.arrayContaining(['getCard/http/json', 'getCard/code', 'listCustomers/code', 'getFeeRules/code']),
  );
  expect(requirementResults.find(({ address }) => address === 'getCard/code')?.exercised).toBe(1);
});

test('a documented value of a parameter that no request was answered with is not covered', async () => {
  const ofStores = having('listCustomers', 'linked_source_type', 'Store');
  const observations = await observationsOf(rejecting(400, ofStores));
  const { missing } = coverageOf(loadContract(), observations).states;
  expect(missing.filter((state) => state.includes('/parameters/'))).toEqual([
    'listCustomers/parameters/linked_source_type = Store',
  ]);
});
