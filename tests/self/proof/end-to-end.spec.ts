import { expect, test } from '@playwright/test';
import { inTurn } from '../../../mock/variants/variant.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, expectAskedOnce, type WholeRun } from '../harness/whole-run.ts';
import { type Breach, breaches } from './breaches.ts';
import { varying, ways } from './variations.ts';

test.setTimeout(120_000);

/** Names what a whole run has shown, for the report of the proof. */
const proves = (names: string[]) => names.map((description) => ({ type: 'whole run', description }));

test('red: a provider with many faults', {
  annotation: proves(breaches.map(({ name }) => name)),
}, async () => {
  const run = await runInProcessAgainst({ alter: inTurn(...breaches.map(({ alter }) => alter)) });
  expect(addressesOf(run, 'violation').sort()).toEqual(breaches.map(({ breaks }) => breaks).sort());
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  for (const breach of breaches) expectReported(run, breach);
  expect(run.output).not.toMatch(/^ {4}at /m);
  expectAskedOnce(run.requests);
});

/** A violation is found at its place alone, and the terminal says all that its reader needs. */
function expectReported({ conformance, output }: WholeRun, { breaks, pointer }: Breach): void {
  const found = (conformance?.findings ?? []).filter(({ requirement }) => requirement === breaks);
  expect(found.map((finding) => finding.pointer).filter((place) => !pointer.test(place))).toEqual([]);
  const { statement } = conformance?.requirements.find(({ address }) => address === breaks) ?? {};
  for (const said of [statement, found[0]?.expected, found[0]?.actual, found[0]?.repeat])
    expect(output).toContain(said ?? 'a finding');
  expect(found[0]?.repeat).toMatch(/^curl /);
}

test('green: a provider with many ways of its own', { annotation: proves(ways) }, async () => {
  const run = await runInProcessAgainst(varying);
  expect(addressesOf(run, 'violation')).toEqual([]);
  expect(addressesOf(run, 'blocked')).toEqual([]);
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expectAskedOnce(run.requests);
});
