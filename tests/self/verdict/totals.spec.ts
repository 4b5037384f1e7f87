import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { type Finding, nothingJudged, type Observation } from '../../../src/redact/observation.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import { exampleTarget } from '../harness/examples.ts';

const address = 'getCard/data/card/status';

const exchange = 'GET /cards/{CARD_IDS[0]}';
const place = { requirement: address, operation: 'getCard', pointer: '/data/card/status', exchange };
const finding = (actual: string, places?: number): Finding => ({
  ...{ ...place, kind: 'violation', expected: 'a string', actual, ...(places ? { places } : {}) },
});

const request = { operation: 'getCard', parameters: { id: '{CARD_IDS[0]}' }, configured: true, exchange };
const observation = (own: Partial<Observation> = {}): Observation => ({
  ...{ ...request, repeat: '', requests: 1, sent: { 'id={CARD_IDS[0]}': 1 } },
  ...{ status: 200, kind: 'success', expectsSuccess: true, ...nothingJudged(), ...own },
});

const broken = (actual: string, places?: number): Partial<Observation> => ({
  exercised: { [address]: { places: places ?? 1, requests: 1 } },
  findings: [finding(actual, places)],
  affected: { [address]: { violation: 1 } },
});

const totalsOf = (...all: Observation[]) => new Totals(all).observations;

test('observations of one kind add up: requests, places, covered values, findings', () => {
  const [sum, ...others] = totalsOf(
    observation({ ...broken('null', 2), covered: { a: 1 }, bytes: 10 }),
    observation({ ...broken('null'), covered: { a: 2, b: 1 }, bytes: 5, repeated: 1 }),
    observation(),
  );
  expect(others).toEqual([]);
  expect(sum).toMatchObject({
    requests: 3,
    exercised: { [address]: { places: 3, requests: 2 } },
    covered: { a: 3, b: 1 },
    affected: { [address]: { violation: 2 } },
    findings: [{ places: 3, requests: 2, actual: 'null' }],
    bytes: 15,
    repeated: 1,
  });
});

/** What keeps an observation apart from another one. */
const apart: Record<string, Partial<Observation>> = {
  'another operation': { operation: 'getCustomer' },
  'another status': { status: 500, kind: 'server error' },
  'a rejection of other parameters': { status: 404, kind: 'rejection', parameters: { id: 'another' } },
  'no expectation': { expectsSuccess: false },
  'a request that was sent again': { again: true },
  'a sweep': { swept: true },
  'no request of its own': { requests: 0 },
  'why it was blocked': { blocked: 'no response' },
};

for (const [name, own] of Object.entries(apart))
  test(`observations are kept apart by ${name}`, () => {
    expect(totalsOf(observation(), observation(own))).toHaveLength(2);
  });

test('any number of requests that were rejected takes bounded room', () => {
  const rejected = Array.from({ length: 500 }, (_, at) =>
    observation({ status: 404, kind: 'rejection', parameters: { id: `${at}` }, sent: { [`id=${at}`]: 1 } }),
  );
  const all = totalsOf(...rejected);
  expect(all).toHaveLength(51);
  expect(all.reduce((sum, { requests }) => sum + requests, 0)).toBe(500);
  expect(Math.max(...all.map(({ sent }) => Object.keys(sent).length))).toBe(50);
});

test('of many different findings twenty are listed, and the others counted', () => {
  const all = Array.from({ length: 500 }, (_, at) => finding(`a string of ${at % 400}`));
  const kinds = ['violation', 'deviation'] as const;
  const [sum] = totalsOf(
    ...all.map((one) => observation({ findings: kinds.map((kind) => ({ ...one, kind })) })),
  );
  const { findings = [] } = sum ?? {};
  expect(findings).toHaveLength(42);
  const actual = '… and 460 more places, not listed one by one';
  expect(findings.slice(-2)).toMatchObject(kinds.map((kind) => ({ kind, places: 460, actual })));
  expect(findings.reduce((places, one) => places + (one.places ?? 1), 0)).toBe(1000);
});

test('what breaks a requirement is counted without what is tolerated of it', () => {
  const mixed = { ...broken('null'), affected: { [address]: { violation: 2, deviation: 3 } } };
  const results = { run: undefined, observations: [observation(mixed)] };
  const all = evaluate(loadContract(), exampleTarget(), results).requirementResults;
  expect(all.find((one) => one.address === address)).toMatchObject({ verdict: 'violation', affected: 2 });
});
