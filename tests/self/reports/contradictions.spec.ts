import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import type { Conformance, ReportedRequirement } from '../../../reports/conformance.ts';
import { contradictionIn } from '../../../reports/contradictions.ts';
import type { Verdict } from '../../verdict/verdicts.ts';
import { judgedRun } from '../harness/judged-runs.ts';

test.describe.configure({ mode: 'default' });

/** A run with a violation, a deviation, passes, and requirements that were not exercised. */
let run: Conformance;
test.beforeAll(async () => {
  const alter = inTurn(
    altering('getCard', set('data/card/title', 7)),
    altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
  );
  run = await judgedRun({ alter }, { identifiers: { USER_IDS: [] } });
});

/** All requirements, those of a verdict changed. */
const each = (verdict: Verdict, change: Partial<ReportedRequirement>) => (one: Conformance) =>
  one.requirements.map((own) => (own.verdict === verdict ? { ...own, ...change } : own));

const withNodes = ({ coverage }: Conformance, change: Partial<Conformance['coverage']['nodes']>) => ({
  coverage: { ...coverage, nodes: { ...coverage.nodes, ...change } },
});

const recorded = { sources: ['a.har'], exchanges: 3, judged: 1, skipped: { 'another host': 1 }, broken: [] };

const wrong: Record<string, [change: (run: Conformance) => Partial<Conformance>, says: RegExp]> = {
  'a pass with a violation': [
    () => ({ verdict: 'pass' }),
    /verdict is pass, but .*1 violation.* come to fail/,
  ],
  'a fail of nothing': [
    (one) => ({ requirements: each('violation', { verdict: 'pass' })(one) }),
    /verdict is fail, but .* come to pass/,
  ],
  'a pass with a failed gate': [
    (one) => ({
      verdict: 'pass',
      requirements: each('violation', { verdict: 'pass' })(one),
      gates: [
        {
          ...{ address: 'run/drift', statement: 'a', section: 'b', verdict: 'fail' },
          ...{ expected: 'c', actual: 'd' },
        },
      ],
    }),
    /come to fail/,
  ],
  'a pass of nothing': [() => ({ verdict: 'pass', requirements: [] }), /\(none\) and gates come to error/],
  'a violation without a finding': [
    ({ findings }) => ({ findings: findings.filter(({ kind }) => kind !== 'violation') }),
    /getCard\/data\/card\/title has the verdict violation, and no finding/,
  ],
  'a deviation without a finding': [
    ({ findings }) => ({ findings: findings.filter(({ kind }) => kind !== 'deviation') }),
    /getFeeRules\/\S+ has the verdict deviation, and no finding/,
  ],
  'a finding that no verdict tells': [
    (one) => ({ verdict: 'pass', requirements: each('violation', { verdict: 'pass' })(one) }),
    /a finding violates getCard\/data\/card\/title, whose verdict is pass/,
  ],
  'a requirement twice': [
    ({ requirements }) => ({ requirements: [...requirements, ...requirements.slice(-1)] }),
    /is listed twice/,
  ],
  'a pass that was never judged': [
    (one) => ({ requirements: each('pass', { exercised: 0 })(one) }),
    /has the verdict pass, and was exercised 0 times/,
  ],
  'what was judged, and is not exercised': [
    (one) => ({ requirements: each('not exercised', { exercised: 2 })(one) }),
    /has the verdict not exercised, and was exercised 2 times/,
  ],
  'a selection of another number': [
    () => ({ selection: { selected: 1, total: 125 } }),
    /selection counts 1 requirements/,
  ],
  'a shard beyond the last': [() => ({ shard: { current: 3, total: 2 } }), /shard 3 of 2/],
  'another percentage': [(one) => withNodes(one, { percentage: 100 }), /coverage\.nodes do not add up/],
  'a missing node too few': [(one) => withNodes(one, { missing: [] }), /coverage\.nodes do not add up/],
  'other fields than nodes': [
    ({ coverage }) => ({ coverage: { ...coverage, fields: { judged: 1, seen: 1, neverPresent: [] } } }),
    /coverage\.fields do not add up/,
  ],
  'coverage with nothing judged': [
    ({ requirements }) => ({
      verdict: 'error',
      findings: [],
      requirements: requirements.map((one) => ({ ...one, verdict: 'not exercised', exercised: 0 })),
    }),
    /% of the schema nodes are exercised, and no requirement is/,
  ],
  'exchanges that are neither judged nor skipped': [
    () => ({ traffic: recorded }),
    /of 3 recorded exchanges 1 were judged and 1 skipped/,
  ],
};

test('a run contradicts nothing of itself, and may lack what version 1 lacks', () => {
  const verdicts = new Set(run.requirements.map(({ verdict }) => verdict));
  expect([...verdicts].sort()).toEqual(['deviation', 'not exercised', 'pass', 'violation']);
  const { gates: _, ...early } = run;
  for (const one of [run, { ...early, schemaVersion: 1 as const }])
    expect(contradictionIn(one)).toBeUndefined();
});

for (const [name, [change, says]] of Object.entries(wrong))
  test(`a report with ${name} contradicts itself`, () => {
    expect(contradictionIn({ ...run, ...change(run) })).toMatch(says);
  });
