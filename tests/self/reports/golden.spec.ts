import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { compareRuns, renderComparisonMarkdown, renderComparisonPage } from '../../../reports/comparison.ts';
import { buildFailedReport, type Conformance } from '../../../reports/conformance.ts';
import { formatJUnit } from '../../../reports/junit.ts';
import { formatSummary } from '../../../reports/lines.ts';
import { formatMarkdown } from '../../../reports/markdown.ts';
import { renderContractPage, renderErrorPage } from '../../../reports/pages/contract-page.ts';
import { renderSitePage } from '../../../reports/pages/site-page.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { renderBadge } from '../../../reports/write.ts';
import { buildContract } from '../../../schemas/contract/contract.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { addChanges, type Changes } from '../../../src/verdict/changes.ts';
import { exampleTarget } from '../harness/examples.ts';

/*
 * Complete outputs of runs of a small contract: `npm run dev:self -- reports/golden --update-snapshots`
 * writes them again, and the difference shows what readers will see.
 */

const readGolden = (name: string) => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');
const contract = buildContract({
  'openapi.yaml': readGolden('openapi.yaml'),
  'requirements.yaml': readGolden('requirements.yaml'),
  'questions.yaml': readGolden('questions.yaml'),
  'ledger.yaml': '',
});
const failedRun = {
  ...buildFailedReport(exampleTarget(), ['It is wrong:\n  - this'], new Date(0)),
  suite: '1.2.3',
};
// Keys that `run.json` lacks have the values of a run that could not begin.
const red = checkConformance({ ...failedRun, ...JSON.parse(readGolden('run.json')) }, 'run.json');

// A run without sweeps, and without an earlier run to compare with.
const { changes: _, sweeps: _sweeps, trace: _trace, ...singleRun } = red;
const unsweptResults = red.requirements.map(({ swept: _swept, ...result }) => ({ ...result, reason: 'why' }));
const unchanged = { ...addChanges(red, red).changes, since: red.changes?.since } as Changes;
const green: Conformance = {
  ...singleRun,
  verdict: 'pass',
  target: 'production',
  mock: true,
  gates: [],
  findings: [],
  notes: [],
  requirements: unsweptResults.map((result) => ({ ...result, verdict: 'pass' })),
  observed: red.observed.slice(2, 3),
  requestsMade: [],
  changes: unchanged,
};
// No response of `getThing` could be judged, and no other requirement is exercised.
const blockedResults = unsweptResults.map((result) => {
  if (result.operation !== 'getThing') return { ...result, verdict: 'not exercised' as const };
  return { ...result, verdict: 'blocked' as const, affected: 2, exercised: 0, requests: 0 };
});
const exampleFinding = red.findings.find(({ kind }) => kind === 'blocked');
const createBlockedFinding = ({ address, reason }: (typeof blockedResults)[number]) =>
  ({ ...exampleFinding, kind: 'blocked', requirement: address, actual: reason }) as Finding;
const blockedFindings = blockedResults
  .filter(({ verdict }) => verdict === 'blocked')
  .map(createBlockedFinding);
const traffic = {
  sources: ['[1] ….har', '-'],
  exchanges: 9,
  judged: 6,
  skipped: { 'no GET': 1, 'no body': 2 },
  from: red.startedAt,
  until: '2026-03-04T09:10:11.000Z',
  broken: [],
};
/** Runs whose rendered texts must match a snapshot, such as `golden/red.txt` for `red`. */
const runs = {
  red,
  green,
  shard: {
    ...green,
    shard: { current: 2, total: 3 },
    changes: { ...unchanged, fixed: ['a/b'], causes: ['target'] },
  },
  // A run of one selected requirement.
  part: {
    ...red,
    findings: red.findings.filter(({ kind }) => kind !== 'blocked'),
    requirements: unsweptResults.slice(13, 14),
    selection: { selected: 1, total: 30 },
    observed: [],
  },
  // A run that selects no requirement, so that it only sends requests.
  requests: {
    ...singleRun,
    coverage: failedRun.coverage,
    requirements: [],
    findings: [],
    gates: red.gates.map((gate) => ({ ...gate, verdict: 'fail' as const })),
    selection: { selected: 0, total: 30 },
  },
  recorded: { ...green, mock: false, traffic },
  // A recording that begins and ends in the same moment, and in which `getThing` is blocked.
  unread: {
    ...singleRun,
    requirements: blockedResults,
    findings: blockedFindings,
    traffic: { ...traffic, until: traffic.from },
  },
  blocked: {
    ...singleRun,
    verdict: 'error',
    requests: 0,
    requirements: blockedResults,
    findings: blockedFindings,
    observed: [],
  },
  none: failedRun,
} satisfies Record<string, Conformance>;

const stripPage = (page: string) => page.replace(/<(style|script)>[\s\S]*?<\/\1>|sha256-[^']*/g, '');
const expectGolden = (text: string, name: string) => expect(text).toMatchSnapshot(['golden', `${name}.txt`]);

test('the texts of a run match the stored ones', () => {
  for (const [name, run] of Object.entries(runs)) {
    const texts = [
      formatSummary(run, 'out', runs.green),
      formatMarkdown(run),
      formatJUnit(run),
      renderBadge(run),
    ];
    expectGolden(texts.join('\n'), name);
  }
});

test('the pages of a run match the stored ones', () => {
  const coverage = { ...red.coverage, fields: { judged: 12, seen: 12, neverPresent: [] } };
  expectGolden(stripPage(renderContractPage(contract, red, { hasTestReport: true })), 'page-red');
  expectGolden(stripPage(renderContractPage(contract, { ...green, coverage })), 'page-green');
  expectGolden(
    stripPage(renderContractPage(contract, runs.part, { data: 'a.json', index: 'b' })),
    'page-part',
  );
  expectGolden(stripPage(renderContractPage(contract, runs.blocked)), 'page-blocked');
  expectGolden(stripPage(renderContractPage(contract, runs.requests)), 'page-requests');
  expectGolden(stripPage(renderErrorPage(runs.none)), 'page-none');
});

test('the page of a run that ended early does not say that there is no earlier run', () => {
  const sentence = 'there is no earlier run to compare with';
  expect(renderContractPage(contract, singleRun)).toContain(sentence);
  expect(renderContractPage(contract, { ...singleRun, incomplete: true })).not.toContain(sentence);
});

/** Run that differs from `red` and `green` in target, contract, profile, verdict and answers. */
const runWithOtherAnswers: Conformance = {
  ...green,
  target: 'other',
  contract: 'ba9876543210',
  profile: 'documented',
  verdict: 'error',
  observed: red.observed.slice(0, 3).map((answer) => ({ ...answer, answer: 'no', confidence: 'certain' })),
};
const pairs = [
  [red, runWithOtherAnswers],
  [runWithOtherAnswers, { ...red, requirements: red.requirements.slice(0, 3) }],
  [green, { ...green, startedAt: '2026-03-01T08:00:00.000Z', requirements: green.requirements.slice(1) }],
  [runs.shard, green],
  [green, { ...green, target: 'a' }],
] as const;
test('the comparisons of two runs match the stored ones', () => {
  const comparisons = pairs.map((pair) => compareRuns(pair, contract.questions));
  expectGolden(
    comparisons
      .map((comparison) => renderComparisonMarkdown(comparison) + stripPage(renderComparisonPage(comparison)))
      .join('\n'),
    'compare',
  );
});

const createEarlierRun = (monthAndDay: string, verdict: 'pass' | 'fail') => ({
  startedAt: `2026-${monthAndDay}T08:00:00.000Z`,
  verdict,
});
const history = [
  createEarlierRun('02-26', 'pass'),
  createEarlierRun('02-27', 'fail'),
  createEarlierRun('02-28', 'pass'),
  createEarlierRun('03-01', 'pass'),
  createEarlierRun('03-02', 'pass'),
  createEarlierRun('03-03', 'fail'),
];
test('the index of a site matches the stored one', () => {
  const first = { folder: 'a', run: red, history, hasTestReport: true };
  const second = { folder: 'b', run: green, history: history.slice(0, 1), hasTestReport: false };
  const third = { ...second, run: runs.blocked };
  expectGolden(
    [[first, second], [second], [first, third]]
      .map((targets) => stripPage(renderSitePage(targets)))
      .join('\n'),
    'site',
  );
});
