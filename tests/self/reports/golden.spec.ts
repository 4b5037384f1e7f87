import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { compareRuns, comparisonMarkdown, comparisonPage } from '../../../reports/comparison.ts';
import { type Conformance, failedReport } from '../../../reports/conformance.ts';
import { formatJUnit } from '../../../reports/junit.ts';
import { formatSummary } from '../../../reports/lines.ts';
import { formatMarkdown } from '../../../reports/markdown.ts';
import { contractPage, errorPage } from '../../../reports/pages/contract-page.ts';
import { sitePage } from '../../../reports/pages/site-page.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { renderBadge } from '../../../reports/write.ts';
import { buildContract } from '../../../schemas/contract/contract.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { type Changes, withChanges } from '../../../src/verdict/changes.ts';
import { exampleTarget } from '../harness/examples.ts';

/*
 * The whole of each output, for runs of a small contract of their own: `npm run dev:self -- reports/golden --update-snapshots`
 * writes them anew, and the difference shows what readers will see.
 */

const file = (name: string) => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');
const contract = buildContract({
  'openapi.yaml': file('openapi.yaml'),
  'requirements.yaml': file('requirements.yaml'),
  'questions.yaml': file('questions.yaml'),
  'ledger.yaml': '',
});
const none = { ...failedReport(exampleTarget(), ['It is wrong:\n  - this'], new Date(0)), suite: '1.2.3' };
// What a report comes to have later has the value of a run that could not begin.
const red = checkConformance({ ...none, ...JSON.parse(file('run.json')) }, 'run.json');

const { changes: _, sweeps: _sweeps, trace: _trace, ...alone } = red;
const kept = red.requirements.map(({ swept: _swept, ...one }) => ({ ...one, reason: 'why' }));
const unchanged = { ...withChanges(red, red).changes, since: red.changes?.since } as Changes;
const green: Conformance = {
  ...{ ...alone, verdict: 'pass', target: 'production', mock: true, gates: [], findings: [], notes: [] },
  requirements: kept.map((one) => ({ ...one, verdict: 'pass' })),
  ...{ observed: red.observed.slice(2, 3), requestsMade: [], changes: unchanged },
};
const blocked = kept.map((one) =>
  one.operation === 'getThing'
    ? { ...one, verdict: 'blocked' as const, affected: 2, exercised: 0, requests: 0 }
    : { ...one, verdict: 'not exercised' as const },
);
const [finding] = red.findings.filter(({ kind }) => kind === 'blocked');
const blockedFindings = blocked
  .filter(({ verdict }) => verdict === 'blocked')
  .map(
    ({ address, reason }) =>
      ({ ...finding, kind: 'blocked', requirement: address, actual: reason }) as Finding,
  );
const traffic = {
  ...{ sources: ['[1] ….har', '-'], exchanges: 9, judged: 6, skipped: { 'no GET': 1, 'no body': 2 } },
  ...{ from: red.startedAt, until: '2026-03-04T09:10:11.000Z', broken: [] },
};
const runs = {
  red,
  green,
  shard: {
    ...green,
    shard: { current: 2, total: 3 },
    changes: { ...unchanged, fixed: ['a/b'], causes: ['target'] },
  },
  part: {
    ...red,
    findings: red.findings.filter(({ kind }) => kind !== 'blocked'),
    requirements: kept.slice(13, 14),
    selection: { selected: 1, total: 30 },
    observed: [],
  },
  requests: {
    ...alone,
    coverage: none.coverage,
    requirements: [],
    findings: [],
    gates: red.gates.map((one) => ({ ...one, verdict: 'fail' as const })),
    selection: { selected: 0, total: 30 },
  },
  recorded: { ...green, mock: false, traffic },
  unread: {
    ...alone,
    requirements: blocked,
    findings: blockedFindings,
    traffic: { ...traffic, until: traffic.from },
  },
  blocked: {
    ...alone,
    verdict: 'error',
    requests: 0,
    requirements: blocked,
    findings: blockedFindings,
    observed: [],
  },
  none,
} satisfies Record<string, Conformance>;

/** What is neither style nor script of a page. */
const plain = (page: string) => page.replace(/<(style|script)>[\s\S]*?<\/\1>|sha256-[^']*/g, '');
const golden = (text: string, name: string) => expect(text).toMatchSnapshot(['golden', `${name}.txt`]);

test('the texts of a run', () => {
  for (const [name, run] of Object.entries(runs)) {
    const texts = [formatSummary(run, 'out', runs.green), formatMarkdown(run), formatJUnit(run), renderBadge(run)];
    golden(texts.join('\n'), name);
  }
});

test('the pages of a run', () => {
  const coverage = { ...red.coverage, fields: { judged: 12, seen: 12, neverPresent: [] } };
  golden(plain(contractPage(contract, red, { testReport: true })), 'page-red');
  golden(plain(contractPage(contract, { ...green, coverage })), 'page-green');
  golden(plain(contractPage(contract, runs.part, { data: 'a.json', index: 'b' })), 'page-part');
  golden(plain(contractPage(contract, runs.blocked)), 'page-blocked');
  golden(plain(contractPage(contract, runs.requests)), 'page-requests');
  golden(plain(errorPage(runs.none)), 'page-none');
});

const answering: Conformance = {
  ...{ ...green, target: 'other', contract: 'ba9876543210', profile: 'documented', verdict: 'error' },
  observed: red.observed.slice(0, 3).map((one) => ({ ...one, answer: 'no', confidence: 'certain' })),
};
const pairs = [
  [red, answering],
  [answering, { ...red, requirements: red.requirements.slice(0, 3) }],
  [green, { ...green, startedAt: '2026-03-01T08:00:00.000Z', requirements: green.requirements.slice(1) }],
  [runs.shard, green],
  [green, { ...green, target: 'a' }],
] as const;
test('two runs side by side', () => {
  const compared = pairs.map((pair) => compareRuns(pair, contract.questions));
  golden(compared.map((one) => comparisonMarkdown(one) + plain(comparisonPage(one))).join('\n'), 'compare');
});

const hashes = { ledger: '0123456789ab', configuration: 'ba9876543210', contract: red.contract };
const earlier = (day: string, verdict: 'pass' | 'fail', more = {}) => ({
  ...{ ...hashes, suite: red.suite, startedAt: `2026-${day}T08:00:00.000Z`, verdict, ...more },
});
const history = [
  earlier('02-26', 'pass'),
  earlier('02-27', 'fail', { verdicts: { 'getThing/body': 'violation' } }),
  earlier('02-28', 'pass', { verdicts: {} }),
  earlier('03-01', 'pass', { verdicts: {}, ledger: '000000000000' }),
  earlier('03-02', 'pass', { verdicts: {} }),
  earlier('03-03', 'fail', { verdicts: {} }),
];
test('a site', () => {
  const first = { folder: 'a', run: red, history, testReport: true };
  const second = { folder: 'b', run: green, history: history.slice(0, 1), testReport: false };
  const third = { ...second, run: runs.blocked };
  golden([[first, second], [second], [first, third]].map((one) => plain(sitePage(one))).join('\n'), 'site');
});
