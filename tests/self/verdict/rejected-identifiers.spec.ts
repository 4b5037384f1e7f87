import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/customers.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { formatExtent } from '../../../src/verdict/entry.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { collectRunNotes } from '../../../src/verdict/verdict.ts';
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

const [firstCard = ''] = exampleTarget().identifiers.CARD_IDS ?? [];
const identifiers = { ...exampleTarget().identifiers, CARD_IDS: [firstCard, 'card-1'] };
const isLookup = (id: string) => isFor('getCard', ({ parameters }) => parameters.id === id);
const replyInSuccess = (body: unknown, when = isLookup(firstCard)) => replying(json(200, body), when);
const notFoundBody = { code: 404, message: 'no', data: null };

async function listUnmetResults(reply: Reply, settings = {}) {
  const { requirementResults } = await evaluateReplies(reply, settings);
  return requirementResults.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'not exercised');
}

test('a rejected request counts among those that a parameter was judged in', async () => {
  const unknownIds = Array.from({ length: 6 }, (_, index) => `7c0f3a52-5d0e-4a43-9d5b-00000000000${index}`);
  const settings = { identifiers: { ...identifiers, CARD_IDS: [...unknownIds, firstCard] } };
  const isUnknown = isFor('getCard', ({ parameters: { id } }) => id !== firstCard);
  const [rejectedResult] = await listUnmetResults(rejecting(404, isUnknown), settings);
  expect(rejectedResult && formatExtent(rejectedResult.findings, rejectedResult)).toBe('in 6 of 7 requests');
  expect(rejectedResult?.reason).toMatch(/^6 of 7 configured identifiers were rejected; the/);
});

const rejectionRows: [name: string, reply: Reply][] = [
  ['HTTP 404', rejecting(404, isLookup(firstCard))],
  ['the code 404', replyInSuccess(notFoundBody)],
  ['an error of no form', replyInSuccess({ error: 'no' })],
];

for (const [name, reply] of rejectionRows)
  test(`a configured identifier rejected with ${name} is counted`, async () => {
    const brokenResults = await listUnmetResults(reply);
    expect(brokenResults.length).toBeGreaterThan(0);
    const reason = expect.stringMatching(/^1 of 2 configured identifiers were rejected; /);
    expect(brokenResults).toMatchObject(
      brokenResults.map(() => ({ reason, cause: 'configured identifiers' })),
    );
  });

test('a card that is forbidden only the second time does not hide which identifier is rejected', async () => {
  let firstCardCount = 0;
  const replyBoth: Reply = (request, usual) => {
    if (isLookup(firstCard)(request)) firstCardCount += 1;
    const forbidsFirst = firstCardCount > 1 && isLookup(firstCard)(request);
    const isOtherCard = isFor('getCard', ({ parameters }) => parameters.id !== firstCard);
    const reply = forbidsFirst ? rejecting(403, isLookup(firstCard)) : rejecting(404, isOtherCard);
    return reply(request, usual);
  };
  const addresses = (await listUnmetResults(replyBoth)).map(({ address }) => address);
  expect(addresses).toContain('getCard/parameters/id');
});

test('a rejected identifier of the configuration is counted beside other violations', async () => {
  const replyOther = replyInSuccess({ code: 200, message: 7, data: {} }, isFor('getCard'));
  const replyBoth: Reply = (request, usual) =>
    isLookup(firstCard)(request) ? replyInSuccess(notFoundBody)(request, usual) : replyOther(request, usual);
  const brokenResults = (await listUnmetResults(replyBoth)).map(({ address, cause }) => [address, cause]);
  expect(brokenResults).toContainEqual(['getCard/code', 'configured identifiers']);
});

test('a configured identifier that is rejected again counts once', async () => {
  const observations = await observeReplies(replyInSuccess(notFoundBody));
  const repeatedObservations = observations
    .filter(({ configured, kind }) => configured && kind === 'rejection')
    .map((observation) => ({ ...observation, again: true as const }));
  const results = { run: undefined, observations: [...observations, ...repeatedObservations] };
  const { requirementResults } = evaluate(loadContract(), exampleTarget(), results);
  const reasons = requirementResults.flatMap(({ verdict, reason }) =>
    verdict === 'violation' ? reason : [],
  );
  expect(reasons).toEqual([expect.stringMatching(/^1 of 2 configured identifiers were rejected; /)]);
});

test('with PROFILE=documented, rejected identifiers do not explain a known deviation of the same requirement', async () => {
  const observations = await observeReplies(replyInSuccess(notFoundBody));
  const findings = observations.flatMap((observation) => observation.findings);
  const deviations = findings.map((finding) => ({ ...finding, kind: 'deviation' as const }));
  const changedObservations = observations.map((observation) =>
    observation.findings.length > 0 ? observation : { ...observation, findings: deviations },
  );
  const results = { run: undefined, observations: changedObservations };
  const listCauses = (profile: 'documented' | 'observed') => {
    const { requirementResults } = evaluate(loadContract(), exampleTarget({ profile }), results);
    return requirementResults.flatMap(({ verdict, cause = 'none' }) =>
      verdict === 'violation' ? cause : [],
    );
  };
  expect(listCauses('observed')).toEqual(['configured identifiers']);
  expect(listCauses('documented')).toEqual(['none']);
});

const listedSettings = { identifiers: { CUSTOMER_IDS: [customers[0]?.customer.uuid ?? ''] } };

test('a violation by the target alone names no rejected identifier, nor does a listed customer', async () => {
  for (const [reply, breaks] of [
    [replyInSuccess({ code: 500, message: 'no' }), 'getCard/code'],
    [rejecting(404, isFor('getCustomer')), 'getCustomer/rules/listed-is-found'],
  ] as const) {
    const brokenResults = await listUnmetResults(reply, listedSettings);
    expect(brokenResults.map(({ address, reason, cause }) => [address, reason ?? cause])).toEqual([
      [breaks, undefined],
    ]);
    expect(
      collectRunNotes(loadContract(), exampleTarget(), await evaluateReplies(reply, listedSettings)),
    ).toEqual([]);
  }
});

for (const [status, gatewayStatus] of [
  [401, 503],
  [404, 503],
  [500, 429],
] as const)
  test(`HTTP ${status} to all requests but some that get HTTP ${gatewayStatus} from a gateway is no violation`, async () => {
    let requestCount = 0;
    const reply: Reply = (request, usual) => {
      requestCount += 1;
      return rejecting(requestCount % 3 === 0 ? gatewayStatus : status)(request, usual);
    };
    const verdicts = (await listUnmetResults(reply)).map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['blocked']));
  });

test('a customer is looked up after the list has shown it, even if the list responds late', async () => {
  const rejectLookups = rejecting(404, isFor('getCustomer'));
  const replyLate = async (...[request, usual]: Parameters<Reply>) => {
    if (request.operation === 'listCustomers') await new Promise((resolve) => setTimeout(resolve, 20));
    return rejectLookups(request, usual);
  };
  const brokenResults = await listUnmetResults(replyLate as unknown as Reply, listedSettings);
  const actuals = brokenResults.map(({ address, findings }) => [address, findings[0]?.actual]);
  expect(actuals).toEqual([['getCustomer/rules/listed-is-found', 'HTTP 404']]);
});

test('the response to a configured identifier of another form is left open', async () => {
  const isOtherForm = isLookup('card-1');
  const results = await evaluateReplies(rejecting(404, isOtherForm), { identifiers });
  expect(collectRunNotes(loadContract(), exampleTarget(), results)).toEqual([
    expect.stringMatching(/^HTTP 404 to GET \S+\{CARD_IDS\[1\]\} is not judged/),
  ]);
  for (const reply of [
    ...[400, 404, 500].map((status) => rejecting(status, isOtherForm)),
    replyInSuccess(notFoundBody, isOtherForm),
  ])
    expect(await listUnmetResults(reply, { identifiers })).toEqual([]);
  const reason = 'every identifier of CARD_IDS was rejected with HTTP 404: does the target know them?';
  for (const CARD_IDS of [['card-1'], identifiers.CARD_IDS]) {
    const [unknownResult] = await listUnmetResults(rejecting(404, isFor('getCard')), {
      identifiers: { CARD_IDS },
    });
    expect(unknownResult).toMatchObject({ verdict: 'blocked', reason });
  }
  const replyOverloaded: Reply = (request, usual) =>
    request.operation === 'getCard' ? rejecting(isOtherForm(request) ? 404 : 503)(request, usual) : usual;
  const verdicts = (await listUnmetResults(replyOverloaded, { identifiers })).map(({ verdict }) => verdict);
  expect([...new Set(verdicts)]).toEqual(['blocked']);
  // The two values were sent only together, so either may be the rejected one.
  const [user] = exampleTarget().identifiers.USER_IDS ?? [];
  const replyToUsers: Reply = (request, usual) => {
    const { type, user_id } = request.parameters;
    return type === 'user' ? rejecting(user_id === user ? 404 : 500)(request, usual) : usual;
  };
  const violated = (await listUnmetResults(replyToUsers)).filter(({ verdict }) => verdict === 'violation');
  expect(violated.map(({ address }) => address)).toEqual(['getFeeRules/http/status']);
  // A success is judged like any other.
  const wrongResults = await listUnmetResults(
    replyInSuccess({ code: 200, message: 7, data: {} }, isOtherForm),
    {
      identifiers,
    },
  );
  expect(wrongResults.map(({ address }) => address)).toEqual(['getCard/message', 'getCard/data/card']);
});
