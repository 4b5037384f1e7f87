import { expect, test } from '@playwright/test';
import type { Target } from '../../../src/client/target.ts';
import { evaluateGate, type GateFacts, selectGates } from '../../../src/verdict/gates.ts';
import type { RequirementResult } from '../../../src/verdict/results.ts';
import { exampleTarget } from '../harness/examples.ts';

const place = { requirement: '', operation: '', pointer: '', exchange: '', question: 'q' };
const drift = { ...place, kind: 'drift', expected: 'yes', actual: 'no' } as const;
const behaviour = { comparable: 0 };
const createResults = (operation: string, ...verdicts: RequirementResult['verdict'][]) =>
  verdicts.map((verdict, index) => ({ operation, address: `${operation}/${index}`, verdict, reason: 'why' }));
const lostResults = [
  ...createResults('getCard', 'pass', 'not exercised'),
  ...createResults('getCustomer', 'pass'),
];
const unidentifiedResults = [
  ...createResults('getCard', 'not exercised', 'not exercised'),
  ...createResults('getCustomer', 'pass'),
];
const parameter = { kind: 'parameter', parameter: { 'x-identifiers': 'PAYOUT_IDS' } };
const unconfiguredResults = unidentifiedResults.map((result) => ({ ...result, ...parameter }));
const blockedResults = createResults('getCard', 'blocked', 'not exercised');

const emptySweep = { operation: 'listCustomers', noun: 'customers', judged: 0, blocked: [] };
const resultsOfOtherRequests = [{ operation: 'listCustomers', pointer: '/data/customers/*', exercised: 1 }];

const emptySweepText = 'customers: the sweep received none, although other requests did';
const incomparableText = 'no recorded answer to compare this run with; PROBES=record writes them';
const unbegunFacts = { requirementResults: [], problems: [] };
const driftText = 'q: was "yes", is "no"';
const fourDriftsText = `${driftText}; ${driftText}; ${driftText}; and 1 more`;
const noneText = 'no response of getCard judged: why';
const lostText = 'no verdict on getCard/1, although an earlier run judged it: why';
const resultsLostTwice = [...lostResults, ...lostResults, { ...lostResults[1], reason: 'how' }];
const twoLostText = 'no verdict on getCard/1, getCard/1, although an earlier run judged them: why';
const bothReasonsText = `${twoLostText}; ${lostText.replace('why', 'how')}`;
const lowCoverage = { exercised: 1, percentage: 40, missing: ['a'] };
const sufficientCoverage = { ...lowCoverage, percentage: 50 };
const [unreadRange, rangeText] = [{ reason: 'why' }, 'customers: 1 range not judged: why'];
const emptyCoverage = { coverage: { nodes: { exercised: 0, percentage: 0, missing: [] } } };

const rows: [name: string, gate: string, facts: object, verdict: string, actual: string][] = [
  ['nothing to compare with', 'run/drift', { behaviour }, 'error', incomparableText],
  ['a mistake', 'run/target', { ...unbegunFacts, problems: ['why'] }, 'error', 'none: why'],
  ['no run', 'run/target', unbegunFacts, 'error', 'none: the run could not begin'],
  ['nothing judged', 'run/coverage', emptyCoverage, 'error', 'no judged response'],
  ['nothing judged, of a shard', 'run/coverage', { ...emptyCoverage, isShard: true }, 'pass', '0 %'],
  ['too little', 'run/coverage', { coverage: { nodes: lowCoverage } }, 'fail', '40 %; not exercised: a'],
  [
    'just enough',
    'run/coverage',
    { coverage: { nodes: sufficientCoverage } },
    'pass',
    '50 %; not exercised: a',
  ],
  [
    'a range',
    'run/sweep',
    { sweeps: [{ ...emptySweep, judged: 1, blocked: [unreadRange] }] },
    'error',
    rangeText,
  ],
  ['nothing swept', 'run/sweep', { sweeps: [] }, 'error', 'no sweep'],
  [
    'a list of others',
    'run/sweep',
    { sweeps: [emptySweep], requirementResults: resultsOfOtherRequests },
    'error',
    emptySweepText,
  ],
  [
    'an interruption before the first page',
    'run/sweep',
    { sweeps: [{ ...emptySweep, stopped: 'why' }], requirementResults: resultsOfOtherRequests },
    'error',
    'customers: why',
  ],
  [
    'a shard without a page of the list',
    'run/sweep',
    { sweeps: [emptySweep], requirementResults: resultsOfOtherRequests, isShard: true },
    'pass',
    'as expected',
  ],
  [
    'an empty list',
    'run/sweep',
    { sweeps: [emptySweep], requirementResults: lostResults },
    'pass',
    'as expected',
  ],
  ['drift though', 'run/drift', { behaviour, findings: [drift] }, 'fail', driftText],
  ['more drift', 'run/drift', { findings: Array(4).fill(drift) }, 'fail', fourDriftsText],
  ['no identifiers', 'run/judged', { requirementResults: unidentifiedResults }, 'fail', noneText],
  [
    'unset identifiers',
    'run/judged',
    { requirementResults: unconfiguredResults },
    'fail',
    `${noneText}; set PAYOUT_IDS`,
  ],
  [
    'none again',
    'run/judged',
    { requirementResults: unidentifiedResults, judgedBefore: ['getCard/0'] },
    'fail',
    noneText,
  ],
  ['less', 'run/judged', { requirementResults: lostResults, judgedBefore: ['getCard/1'] }, 'fail', lostText],
  [
    'less twice',
    'run/judged',
    { requirementResults: resultsLostTwice, judgedBefore: ['getCard/1'] },
    'fail',
    bothReasonsText,
  ],
  [
    'as much',
    'run/judged',
    { requirementResults: lostResults, judgedBefore: ['getCard/0'] },
    'pass',
    'as expected',
  ],
  [
    'a blocked operation',
    'run/judged',
    { requirementResults: blockedResults },
    'error',
    'no judged response',
  ],
  [
    'a blocked operation, and another one without a response',
    'run/judged',
    { requirementResults: [...createResults('getCustomer', 'blocked'), ...unidentifiedResults.slice(0, 2)] },
    'error',
    'no judged response',
  ],
  [
    'a blocked operation, another one without a response, and a judged one',
    'run/judged',
    {
      requirementResults: [
        ...createResults('getCustomer', 'blocked'),
        ...createResults('getFeeRules', 'pass'),
        ...unidentifiedResults.slice(0, 2),
      ],
    },
    'fail',
    noneText,
  ],
  [
    'a blocked requirement of a judged operation',
    'run/judged',
    { requirementResults: createResults('getCard', 'blocked', 'pass') },
    'pass',
    'as expected',
  ],
  [
    'a blocked operation, of a shard',
    'run/judged',
    { requirementResults: blockedResults, isShard: true },
    'pass',
    'as expected',
  ],
  [
    'a shard',
    'run/judged',
    { requirementResults: unidentifiedResults, isShard: true },
    'pass',
    'as expected',
  ],
];

for (const [name, address, facts, verdict, actual] of rows)
  test(`${address} with ${name}: ${verdict}`, () => {
    const target: Target = {
      ...exampleTarget(),
      failOn: ['drift', 'unjudged'],
      sweep: 'all',
      minCoverage: 50,
    };
    const [gate] = selectGates(target, []).filter((candidate) => candidate.address === address);
    const gateFacts = { target, findings: [], ...facts } as unknown as GateFacts;
    expect(gate && evaluateGate(gate, gateFacts)).toMatchObject({ verdict, actual });
  });
