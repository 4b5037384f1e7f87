import { groupBy } from '../schemas/group-by.ts';
import { formatFailure, summarizeFailure } from '../src/verdict/entry.ts';
import {
  describeShardOrSelection,
  formatMockOrTrafficMark,
  formatVerdictSentence,
} from '../src/verdict/sentence.ts';
import type { CustomTest } from '../src/verdict/verdict.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';

interface TestCase {
  /** Operation such as `getCard`; `run` for gates such as `run/coverage`; `custom` for tests in `tests/custom`. */
  suite: string;
  name: string;
  /** Name of the JUnit element; undefined if the test passed. */
  outcome?: 'failure' | 'error' | 'skipped' | undefined;
  message?: string;
  text?: string;
}

/** JUnit element by verdict. A verdict that is not listed, such as `deviation`, counts as passed. */
const outcomeByVerdict: Partial<Record<string, TestCase['outcome']>> = {
  violation: 'failure',
  fail: 'failure',
  blocked: 'error',
  error: 'error',
  'not exercised': 'skipped',
};

/** Formats `junit.xml`. If the run does not pass, at least one test case is a `failure` or an `error`. */
export function formatJUnit(run: Conformance): string {
  const cases = createCases(run);
  const part = describeShardOrSelection(run);
  const partText = part ? `: ${part}` : '';
  const name = `lookup API conformance of ${run.target}${formatMockOrTrafficMark(run)}${partText}`;
  const { suite: suiteVersion, edition, contract } = run;
  const properties = Object.entries({ suite: suiteVersion, edition, contract }).map(([key, value]) =>
    formatElement('property', { name: key, value }),
  );
  const propertiesElement = formatElement('properties', {}, properties);
  const casesBySuite = groupBy(cases, ({ suite }) => suite);
  const suites = [...casesBySuite].map(([operationOrGroup, suiteCases]) => {
    const attributes = { name: operationOrGroup, timestamp: run.startedAt, ...countOutcomes(suiteCases) };
    return formatElement('testsuite', attributes, [propertiesElement, ...suiteCases.map(formatCase)]);
  });
  const root = formatElement('testsuites', { name, ...countOutcomes(cases) }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function createCases(run: Conformance): TestCase[] {
  // Each failed custom test has a test case of its own.
  const gates = run.gates.filter(({ address }) => address !== 'run/custom-tests');
  const cases = [
    ...gates.map(({ address, statement, verdict, ...mismatch }): TestCase => {
      const name = `${address}: ${statement}`;
      const message = formatMismatch(mismatch);
      return { suite: 'run', name, outcome: outcomeByVerdict[verdict], message };
    }),
    ...(run.customTests ?? []).map(createCustomCase),
    ...run.requirements.map((requirement) => createRequirementCase(run, requirement)),
  ];
  const hasFailedCase = cases.some(({ outcome }) => outcome === 'failure' || outcome === 'error');
  if (run.verdict === 'pass' || hasFailedCase) return cases;
  // Without this test case, JUnit would show only passes for a run that did not pass.
  const outcome = outcomeByVerdict[run.verdict];
  const message = formatVerdictSentence(run);
  return [{ suite: 'run', name: 'run: has a verdict', outcome, message }, ...cases];
}

const formatMismatch = ({ expected, actual }: { expected: string; actual: string }) =>
  `expected ${expected}; got ${actual}`;

/** Leaves out the error message of the test, because it may hold values of the target. */
function createCustomCase({ title, failed, skipped }: CustomTest): TestCase {
  const test = { suite: 'custom', name: title };
  if (failed)
    return { ...test, outcome: 'failure', message: 'the error is in the reports of Playwright and Allure' };
  return skipped ? { ...test, outcome: 'skipped', message: 'the test skipped itself' } : test;
}

function createRequirementCase(run: Conformance, requirement: ReportedRequirement): TestCase {
  const { operation, address, statement, verdict, reason = '' } = requirement;
  const test = { suite: operation, name: `${address}: ${statement}` };
  const outcome = outcomeByVerdict[verdict];
  if (!outcome) return test;
  const failure = summarizeFailure(requirement, run.findings);
  if (!failure) return { ...test, outcome, message: `${verdict}: ${reason}` };
  const message = verdict === 'violation' ? formatMismatch(failure.first) : `${verdict}: ${reason}`;
  return { ...test, outcome, message, text: formatFailure(requirement, run.findings) };
}

function countOutcomes(cases: TestCase[]) {
  const count = (outcome: TestCase['outcome']) =>
    cases.filter((testCase) => testCase.outcome === outcome).length;
  const [failures, errors, skipped] = [count('failure'), count('error'), count('skipped')];
  return { tests: cases.length, failures, errors, skipped };
}

function formatCase({ suite, name, outcome, message = '', text }: TestCase): string {
  const attributes = { classname: suite, name };
  if (!outcome) return formatElement('testcase', attributes);
  const outcomeElement = formatElement(outcome, { message }, text ? [escapeXml(text)] : []);
  return formatElement('testcase', attributes, [outcomeElement]);
}

/** Escapes `attributes`, but not `content`, which is XML already. */
function formatElement(
  name: string,
  attributes: Record<string, string | number>,
  content: string[] = [],
): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  const start = `<${name}${pairs.join('')}`;
  return content.length > 0 ? `${start}>\n${content.join('\n')}\n</${name}>` : `${start}/>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Matches characters that XML 1.0 cannot contain (section 2.2), even escaped. */
const invalidCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const escapeXml = (text: string) =>
  text.replace(invalidCharacters, '').replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
