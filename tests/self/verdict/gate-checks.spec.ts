import { expect, test } from '@playwright/test';
import type { Target } from '../../../src/client/target.ts';
import type { RequirementResult } from '../../../src/verdict/evaluate.ts';
import { evaluateGate, type GateFacts, gatesFor } from '../../../src/verdict/gates.ts';
import { exampleTarget } from '../harness/examples.ts';

const place = { requirement: '', operation: '', pointer: '', exchange: '', question: 'q' };
const drift = { ...place, kind: 'drift', expected: 'yes', actual: 'no' } as const;
const behaviour = { comparable: 0 };
const judged = (operation: string, ...verdicts: RequirementResult['verdict'][]) =>
  verdicts.map((verdict, at) => ({ operation, address: `${operation}/${at}`, verdict, reason: 'why' }));
const lost = [...judged('getCard', 'pass', 'not exercised'), ...judged('getCustomer', 'pass')];
const typo = [...judged('getCard', 'not exercised', 'not exercised'), ...judged('getCustomer', 'pass')];
const blocked = judged('getCard', 'blocked', 'not exercised');

const nobody = { operation: 'listCustomers', noun: 'customers', judged: 0, blocked: [] };
const elsewhere = [{ operation: 'listCustomers', place: '/data/customers/*', exercised: 1 }];

const beside = 'customers: none, though other requests show some';
const incomparable = 'no recorded answer that this run can be compared with: PROBES=record writes them';
const unbegun = { requirementResults: [], prevented: [] };
const changed = 'q: was "yes", is "no"';
const fourTimes = `${changed}; ${changed}; ${changed}; and 1 more`;
const none = 'none of getCard: why';
const unlike = 'none of getCard/1, unlike an earlier run: why';
const twice = [...lost, ...lost, { ...lost[1], reason: 'how' }];
const both = `${unlike.replace('/1', '/1; getCard/1')}; ${unlike.replace('why', 'how')}`;
const little = { exercised: 1, percentage: 40, missing: ['a'] };
const enough = { ...little, percentage: 50 };
const [range, ranged] = [{ reason: 'why' }, 'customers: 1 range not looked at: why'];
const unseen = { coverage: { nodes: { exercised: 0, percentage: 0, missing: [] } } };

const rows: [name: string, gate: string, facts: object, verdict: string, actual: string][] = [
  ['nothing to compare with', 'run/drift', { behaviour }, 'error', incomparable],
  ['a mistake', 'run/target', { ...unbegun, prevented: ['why'] }, 'error', 'none: why'],
  ['no run', 'run/target', unbegun, 'error', 'none: the run could not begin'],
  ['nothing judged', 'run/coverage', unseen, 'error', 'nothing was judged'],
  ['nothing judged, of a shard', 'run/coverage', { ...unseen, isShard: true }, 'pass', '0 %'],
  ['too little', 'run/coverage', { coverage: { nodes: little } }, 'fail', '40 %; not exercised: a'],
  ['just enough', 'run/coverage', { coverage: { nodes: enough } }, 'pass', '50 %; not exercised: a'],
  ['a range', 'run/sweep', { sweeps: [{ ...nobody, judged: 1, blocked: [range] }] }, 'error', ranged],
  ['nothing swept', 'run/sweep', { sweeps: [] }, 'error', 'no sweep'],
  ['a list of others', 'run/sweep', { sweeps: [nobody], requirementResults: elsewhere }, 'error', beside],
  ['an empty list', 'run/sweep', { sweeps: [nobody], requirementResults: lost }, 'pass', 'as expected'],
  ['drift though', 'run/drift', { behaviour, findings: [drift] }, 'fail', changed],
  ['more drift', 'run/drift', { findings: Array(4).fill(drift) }, 'fail', fourTimes],
  ['no identifiers', 'run/judged', { requirementResults: typo }, 'fail', none],
  ['none again', 'run/judged', { requirementResults: typo, judgedBefore: ['getCard/0'] }, 'fail', none],
  ['less', 'run/judged', { requirementResults: lost, judgedBefore: ['getCard/1'] }, 'fail', unlike],
  ['less twice', 'run/judged', { requirementResults: twice, judgedBefore: ['getCard/1'] }, 'fail', both],
  ['as much', 'run/judged', { requirementResults: lost, judgedBefore: ['getCard/0'] }, 'pass', 'as expected'],
  ['what is blocked', 'run/judged', { requirementResults: blocked }, 'pass', 'as expected'],
  ['a shard', 'run/judged', { requirementResults: typo, isShard: true }, 'pass', 'as expected'],
];

for (const [name, address, facts, verdict, actual] of rows)
  test(`${address} where there is ${name}: ${verdict}`, () => {
    const target: Target = {
      ...exampleTarget(),
      failOn: ['drift', 'unjudged'],
      sweep: 'all',
      minCoverage: 50,
    };
    const [gate] = gatesFor(target, []).filter((one) => one.address === address);
    const all = { target, findings: [], ...facts } as unknown as GateFacts;
    expect(gate && evaluateGate(gate, all)).toMatchObject({ verdict, actual });
  });
