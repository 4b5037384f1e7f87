import { readFileSync } from 'node:fs';
import path from 'node:path';

try {
  process.loadEnvFile();
} catch {
  // Without a readable .env the environment alone counts; the run itself reports what is wrong with it.
}

const reportsDir = path.resolve(process.env.REPORTS_DIR || 'reports/out');
const conformanceFile = path.join(reportsDir, 'conformance.json');
const run = readRun();
const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;

/** The run that is rendered; `npm run render` says what is wrong with a report that cannot be read. */
function readRun() {
  try {
    return JSON.parse(readFileSync(conformanceFile, 'utf8'));
  } catch {
    return {};
  }
}

/** A verdict on a part of the contract must not read like one on the whole. */
function partOf({ selection, shard }) {
  if (shard) return ` of shard ${shard.current} of ${shard.total}`;
  return selection ? ` of ${selection.selected} selected requirements of ${selection.total}` : '';
}

/** Puts the tests with a status whose message matches a pattern into a category. */
const category = (name, status, message) => ({ name, matchers: [{ statuses: [status], message }] });

/** How Allure renders a run: one file that opens from disk, in the order of the contract. */
export default {
  name: `Lookup API conformance${run.mock ? ' (MOCK)' : ''}`,
  output: path.join(reportsDir, 'allure-report'),
  resultsDir: path.join(reportsDir, 'allure-results'),
  historyPath: path.join(reportsDir, 'allure-history.jsonl'),
  historyLimit: 20,
  hideLabels: ['package', 'titlePath', 'thread', 'host', 'language', 'framework'],
  categories: [
    category('Violation: the contract is broken', 'failed', /^UnmetRequirement: /),
    { name: 'Deviation: known and tolerated', matchers: [{ labels: { tag: 'deviation' } }] },
    category('Blocked: the target could not be judged', 'failed', /^BlockedRequirement: /),
    category('Blocked: the target could not be judged', 'skipped', /^blocked: /),
    category('Not exercised: no response to judge it by', 'skipped', /^not exercised: /),
    category('Gate: something that the run demands beside the contract', 'failed', /^FailedGate: /),
    {
      name: 'Suite error: this suite is at fault',
      matchers: [{ statuses: ['failed', 'broken', 'unknown'] }],
    },
  ],
  variables: {
    Target: run.target ?? 'unknown',
    Profile: run.profile ?? 'unknown',
    Verdict: `${run.verdict ?? 'unknown'}${run.mock ? ' (MOCK)' : ''}${partOf(run)}`,
    Coverage: `${run.coverage?.nodes.percentage ?? 0} %`,
    Suite: run.suite ?? 'unknown',
    Contract: `edition ${run.edition} (${run.contract})`,
    Node: process.versions.node,
    Playwright: versionOf('@playwright/test'),
    Ajv: versionOf('ajv'),
  },
  plugins: {
    awesome: {
      options: {
        singleFile: true,
        reportLanguage: 'en',
        groupBy: ['suite', 'subSuite'],
        // The trend over runs, beside the results.
        sections: ['charts'],
        charts: [
          { type: 'statusDynamics', title: 'Requirements over runs' },
          { type: 'statusTransitions', title: 'What changed from run to run' },
        ],
      },
    },
  },
};
