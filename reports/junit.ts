import { groupBy } from '../schemas/group-by.ts';
import { formatFailure, summarizeFailure } from '../src/verdict/entry.ts';
import type { GateResult } from '../src/verdict/gates.ts';
import {
  describeShardOrSelection,
  formatMockOrTrafficMark,
  formatVerdictSentence,
} from '../src/verdict/sentence.ts';
import type { CustomTest } from '../src/verdict/verdict.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';

interface TestCase {
  /** Operation of the test, such as `getCard`. The suite of a gate is `run`. The suite of a custom test is `custom`. */
  suite: string;
  name: string;
  /** Undefined if the test passed. */
  outcome?: 'failure' | 'error' | 'skipped' | undefined;
  message?: string;
  text?: string;
}

/** Name of the JUnit element for a test, keyed by verdict. A verdict that is not a key counts as passed. */
const outcomeByVerdict: Partial<Record<string, TestCase['outcome']>> = {
  violation: 'failure',
  fail: 'failure',
  blocked: 'error',
  error: 'error',
  'not exercised': 'skipped',
};

export function formatJUnit(run: Conformance): string {
  const cases = createCases(run);
  const casesBySuite = groupBy(cases, ({ suite }) => suite);
  const propertiesElement = formatVersionProperties(run);
  const suiteElements = [...casesBySuite].map(([suiteName, suiteCases]) => {
    const attributes = { name: suiteName, timestamp: run.startedAt, ...countOutcomes(suiteCases) };
    return formatElement('testsuite', attributes, [propertiesElement, ...suiteCases.map(formatCase)]);
  });
  const rootAttributes = { name: formatReportName(run), ...countOutcomes(cases) };
  const root = formatElement('testsuites', rootAttributes, suiteElements);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function formatReportName(run: Conformance): string {
  const part = describeShardOrSelection(run);
  const partText = part ? `: ${part}` : '';
  return `lookup API conformance of ${run.target}${formatMockOrTrafficMark(run)}${partText}`;
}

function formatVersionProperties({ suite, edition, contract }: Conformance): string {
  const versions = Object.entries({ suite, edition, contract });
  const properties = versions.map(([name, value]) => formatElement('property', { name, value }));
  return formatElement('properties', {}, properties);
}

function createCases(run: Conformance): TestCase[] {
  // The gate `run/custom-tests` only repeats what the custom tests show.
  const gates = run.gates.filter(({ address }) => address !== 'run/custom-tests');
  const customTests = run.customTests ?? [];
  const cases = [
    ...gates.map(createGateCase),
    ...customTests.map(createCustomCase),
    ...run.requirements.map((requirement) => createRequirementCase(run, requirement)),
  ];
  const hasFailedCase = cases.some(({ outcome }) => outcome === 'failure' || outcome === 'error');
  if (run.verdict === 'pass' || hasFailedCase) return cases;
  // Without this test case, JUnit would show only passes for a run that did not pass.
  const outcome = outcomeByVerdict[run.verdict];
  const message = formatVerdictSentence(run);
  return [{ suite: 'run', name: 'run: has a verdict', outcome, message }, ...cases];
}

const createGateCase = (gate: GateResult): TestCase => ({
  suite: 'run',
  name: `${gate.address}: ${gate.statement}`,
  outcome: outcomeByVerdict[gate.verdict],
  message: formatMismatch(gate),
});

const formatMismatch = ({ expected, actual }: { expected: string; actual: string }) =>
  `expected ${expected}; got ${actual}`;

function createCustomCase({ title, failed, skipped }: CustomTest): TestCase {
  const passedCase: TestCase = { suite: 'custom', name: title };
  if (failed) {
    // The error message may hold personal values.
    const message = 'the output of the run shows where; BASE_URL=mock also shows the message';
    return { ...passedCase, outcome: 'failure', message };
  }
  return skipped ? { ...passedCase, outcome: 'skipped', message: 'the test skipped itself' } : passedCase;
}

function createRequirementCase(run: Conformance, requirement: ReportedRequirement): TestCase {
  const { operation, address, statement, verdict, reason = '' } = requirement;
  const passedCase: TestCase = { suite: operation, name: `${address}: ${statement}` };
  const outcome = outcomeByVerdict[verdict];
  // JUnit has no outcome for a known deviation, which counts as passed.
  if (!outcome) return passedCase;
  const failure = summarizeFailure(requirement, run.findings);
  const isViolation = verdict === 'violation';
  const message = failure && isViolation ? formatMismatch(failure.first) : `${verdict}: ${reason}`;
  const unpassedCase = { ...passedCase, outcome, message };
  return failure ? { ...unpassedCase, text: formatFailure(requirement, run.findings) } : unpassedCase;
}

function countOutcomes(cases: TestCase[]) {
  const count = (outcome: TestCase['outcome']) =>
    cases.filter((testCase) => testCase.outcome === outcome).length;
  return {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}

function formatCase({ suite, name, outcome, message = '', text }: TestCase): string {
  const attributes = { classname: suite, name };
  const hasPassed = outcome === undefined;
  if (hasPassed) return formatElement('testcase', attributes);
  const content = text ? [escapeXml(text)] : [];
  const outcomeElement = formatElement(outcome, { message }, content);
  return formatElement('testcase', attributes, [outcomeElement]);
}

/** Formats an XML element. Escapes `attributes`, but not `content`. */
function formatElement(
  name: string,
  attributes: Record<string, string | number>,
  content: string[] = [],
): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  const nameAndAttributes = `${name}${pairs.join('')}`;
  if (content.length === 0) return `<${nameAndAttributes}/>`;
  return `<${nameAndAttributes}>\n${content.join('\n')}\n</${name}>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Matches characters that XML 1.0 forbids (section 2.2), such as NUL. XML 1.0 also forbids their escaped forms, such as `&#0;`. */
const invalidCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const escapeXml = (text: string) =>
  text.replace(invalidCharacters, '').replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
