import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { createEmptyJudgement, type Finding, type Observation } from '../../../src/redact/observation.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import { exampleTarget } from '../harness/examples.ts';

const address = 'getCard/data/card/status';

const exchange = 'GET /cards/{CARD_IDS[0]}';
const location = { requirement: address, operation: 'getCard', pointer: '/data/card/status', exchange };
const createFinding = (actual: string, places?: number): Finding => ({
  ...location,
  kind: 'violation',
  expected: 'a string',
  actual,
  ...(places ? { places } : {}),
});

const request = {
  operation: 'getCard',
  parameters: { id: '{CARD_IDS[0]}' },
  configured: true,
  requestText: exchange,
};
const createObservation = (overrides: Partial<Observation> = {}): Observation => ({
  ...request,
  curlCommand: '',
  requests: 1,
  parameterValueCounts: { 'id={CARD_IDS[0]}': 1 },
  status: 200,
  kind: 'success',
  expectsSuccess: true,
  ...createEmptyJudgement(),
  ...overrides,
});

const createViolation = (actual: string, places?: number): Partial<Observation> => ({
  exercised: { [address]: { places: places ?? 1, requests: 1 } },
  findings: [createFinding(actual, places)],
  affectedRequests: { [address]: { violation: 1 } },
});

const sumObservations = (...observations: Observation[]) => new Totals(observations).observations;

test('observations of one kind add up: requests, places, covered values, findings', () => {
  const [sum, ...otherSums] = sumObservations(
    createObservation({ ...createViolation('null', 2), documentedValueCounts: { a: 1 }, bytes: 10 }),
    createObservation({
      ...createViolation('null'),
      documentedValueCounts: { a: 2, b: 1 },
      bytes: 5,
      retries: 1,
    }),
    createObservation(),
  );
  expect(otherSums).toEqual([]);
  expect(sum).toMatchObject({
    requests: 3,
    exercised: { [address]: { places: 3, requests: 2 } },
    documentedValueCounts: { a: 3, b: 1 },
    affectedRequests: { [address]: { violation: 2 } },
    findings: [{ places: 3, requests: 2, actual: 'null' }],
    bytes: 15,
    retries: 1,
  });
});

const differenceRows: Record<string, Partial<Observation>> = {
  'another operation': { operation: 'getCustomer' },
  'another status': { status: 500, kind: 'server error' },
  'a rejection of other parameters': { status: 404, kind: 'rejection', parameters: { id: 'another' } },
  'no expectation': { expectsSuccess: false },
  'a request that was sent again': { again: true },
  'a sweep': { swept: true },
  'no request of its own': { requests: 0 },
  'why it was blocked': { blocked: 'no response' },
};

for (const [name, difference] of Object.entries(differenceRows))
  test(`observations are kept separate by ${name}`, () => {
    expect(sumObservations(createObservation(), createObservation(difference))).toHaveLength(2);
  });

test('any number of rejected requests takes bounded memory', () => {
  const rejectedObservations = Array.from({ length: 500 }, (_, index) =>
    createObservation({
      status: 404,
      kind: 'rejection',
      parameters: { id: `${index}` },
      parameterValueCounts: { [`id=${index}`]: 1 },
    }),
  );
  const sums = sumObservations(...rejectedObservations);
  expect(sums).toHaveLength(51);
  expect(sums.reduce((sum, { requests }) => sum + requests, 0)).toBe(500);
  expect(
    Math.max(...sums.map(({ parameterValueCounts: valueCounts }) => Object.keys(valueCounts).length)),
  ).toBe(50);
});

test('twenty of many different findings are listed and the others are counted', () => {
  const allFindings = Array.from({ length: 500 }, (_, index) => createFinding(`a string of ${index % 400}`));
  const kinds = ['violation', 'deviation'] as const;
  const [sum] = sumObservations(
    ...allFindings.map((finding) =>
      createObservation({ findings: kinds.map((kind) => ({ ...finding, kind })) }),
    ),
  );
  const { findings = [] } = sum ?? {};
  expect(findings).toHaveLength(42);
  const actual = '… and 460 more places, not listed one by one';
  expect(findings.slice(-2)).toMatchObject(kinds.map((kind) => ({ kind, places: 460, actual })));
  expect(findings.reduce((places, finding) => places + (finding.places ?? 1), 0)).toBe(1000);
});

test('violations of a requirement are counted without its deviations', () => {
  const mixedCounts = {
    ...createViolation('null'),
    affectedRequests: { [address]: { violation: 2, deviation: 3 } },
  };
  const results = { run: undefined, observations: [createObservation(mixedCounts)] };
  const all = evaluate(loadContract(), exampleTarget(), results).requirementResults;
  expect(all.find((result) => result.address === address)).toMatchObject({
    verdict: 'violation',
    affected: 2,
  });
});
