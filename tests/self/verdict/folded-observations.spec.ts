import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Finding, Observation } from '../../redaction/observation.ts';
import { requirementsFor } from '../../run/results.ts';
import { coverageOf } from '../../verdict/coverage.ts';
import { evaluateRequirements } from '../../verdict/evaluate.ts';
import { staleFindings } from '../../verdict/ledger-use.ts';
import { requestCount } from '../../verdict/request-counts.ts';
import { exampleTarget, json, observationsOf, of, type Reply } from '../harness/examples.ts';
import { randomOf, runs, seed } from '../soak.ts';
import { folded } from './folded.ts';

const contract = loadContract();
const requirements = requirementsFor(contract, { undeclaredFields: 'fail' });

/** How many places there are of each kind of finding; texts of what is not listed aside. */
function placesOf(findings: Finding[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { kind, pointer, expected, places = 1 } of findings) {
    const key = `${kind} ${pointer.replace(/\d+/g, '*')} ${expected}`;
    sums[key] = (sums[key] ?? 0) + (kind === 'blocked' ? 0 : places);
  }
  return sums;
}

/** All that a run says of observations, wherever it comes from. */
const conclusions = (observations: Observation[], profile: 'observed' | 'documented') => {
  const results = evaluateRequirements(requirements, observations, profile);
  const stale = staleFindings({ observations, requirementResults: results }, contract.ledger);
  return {
    coverage: coverageOf(contract, observations),
    results: results.map(({ findings, ...rest }) => ({ ...rest, places: placesOf(findings) })),
    stale,
  };
};

function expectSame(observations: Observation[]): void {
  const [once, twice] = [folded(observations), folded(folded(observations))];
  expect(once.reduce((sum, one) => sum + requestCount(one), 0)).toBe(observations.length);
  for (const profile of ['observed', 'documented'] as const) {
    const expected = conclusions(observations, profile);
    expect(conclusions(once, profile)).toEqual(expected);
    expect(conclusions(twice, profile)).toEqual(expected);
  }
}

const identifiers = {
  CARD_IDS: Array.from({ length: 9 }, (_, at) => `card-${at}`),
  CUSTOMER_IDS: ['cus-a', 'cus-b', 'cus-c'],
  USER_IDS: ['usr-a', 'usr-b'],
};

const answers: Reply[] = [
  (_, usual) => usual,
  (_, usual) => usual,
  (_, usual) => ({ ...usual, contentType: 'text/html' }),
  (_, usual) => ({ ...usual, body: Buffer.from('<html>') }),
  (_, usual) => ({ ...usual, body: Buffer.from(usual.body.toString().replace('Active', 'Odd')) }),
  (_, usual) => ({
    ...usual,
    body: Buffer.from(usual.body.toString().replace('"data":{', '"data":{"more":1,')),
  }),
  (_, usual) => ({
    ...usual,
    body: Buffer.from(usual.body.toString().replace(/"p?_?user_id"/, '"p_user_id"')),
  }),
  () => json(200, { code: 200, message: '', data: { customers: [], fee_rules: [], card: null } }),
  () => json(200, { code: 404, message: 'none', data: null }),
  ...[302, 400, 401, 404, 429, 500, 503].map(
    (status): Reply =>
      () =>
        json(status, { code: status }),
  ),
  () => ({ blocked: 'the connection was refused' }),
];

test('folded observations say of the contract what the single ones say', async () => {
  const random = randomOf(seed);
  for (let run = 0; run < runs(10); run += 1) {
    const target = exampleTarget({ identifiers });
    const some = () => answers.filter(() => random() < 0.2);
    const chosen = new Map(contract.operations.map(({ id }) => [id, some()]));
    const chosenFor = (operation: string) => {
      const own = chosen.get(operation) ?? [];
      return own[Math.floor(random() * own.length)];
    };
    const reply: Reply = (asked, usual) => chosenFor(asked.operation)?.(asked, usual) ?? usual;
    const observations = await observationsOf(reply, target);
    expectSame([...observations.toReversed(), ...observations]);
  }
});

test('thirty thousand requests take no more room than some', async () => {
  const [example] = await observationsOf((_, usual) => usual);
  const wrong = await observationsOf((asked, usual) =>
    of('getCard')(asked) ? json(200, { code: 200, message: '', data: { card: {} } }) : usual,
  );
  const broken = wrong.find(({ operation }) => operation === 'getCard');
  if (!example || !broken) throw new Error('nothing was observed');
  function* many(): Generator<Observation> {
    for (let at = 0; at < 30_000; at += 1) {
      const label = `{card ${at}}`;
      const rejected = { status: 404, response: 'rejection', visits: {}, findings: [] } as const;
      const kind = at % 3 === 0 ? { ...broken, ...rejected } : at % 3 === 1 ? broken : example;
      yield { ...(kind as Observation), parameters: { id: label }, exchange: `GET ${label}` };
    }
  }
  const all = folded(many());
  expect(all.reduce((sum, one) => sum + requestCount(one), 0)).toBe(30_000);
  expect(JSON.stringify(all).length).toBeLessThan(300_000);
  const missing = evaluateRequirements(requirements, all, 'observed').find(
    ({ address }) => address === 'getCard/data/card/title',
  );
  expect(missing).toMatchObject({ verdict: 'violation', affected: 10_000 });
  expect(missing?.findings).toEqual([
    { ...missing?.findings[0], exchange: broken.exchange, places: 10_000, requests: 10_000 },
  ]);
});
