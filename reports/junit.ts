import { formatFailure, summarizeFailure } from '../src/verdict/entry.ts';
import { describePart, formatTargetMark, formatVerdictSentence } from '../src/verdict/sentence.ts';
import type { CustomTest } from '../src/verdict/verdict.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';

interface TestCase {
  /** Operation such as `getCard`, `run` for a gate, or `custom` for a test in `tests/custom`. */
  suite: string;
  name: string;
  /** JUnit element that says why the test did not pass; undefined if it passed. */
  kind?: 'failure' | 'error' | 'skipped' | undefined;
  /** Attribute `message` of the element that `kind` names; not written if the test passed. */
  message: string;
  text?: string;
}

/** JUnit element for each verdict of a requirement or a gate. Verdicts without one, such as `deviation`, count as passed. */
const elementByVerdict: Partial<Record<string, TestCase['kind']>> = {
  violation: 'failure',
  fail: 'failure',
  blocked: 'error',
  error: 'error',
  'not exercised': 'skipped',
};

/** Formats `junit.xml`. A violation is a failure, a blocked requirement is an error. A run that does not pass has at least one of them. */
export function formatJUnit(run: Conformance): string {
  const cases = createCases(run);
  const part = describePart(run);
  const partText = part ? `: ${part}` : '';
  const name = `lookup API conformance of ${run.target}${formatTargetMark(run)}${partText}`;
  const { suite: version, edition, contract } = run;
  const properties = Object.entries({ suite: version, edition, contract }).map(([key, value]) =>
    formatElement('property', { name: key, value }),
  );
  const propertiesElement = formatElement('properties', {}, properties);
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((suite) => {
    const suiteCases = cases.filter((testCase) => testCase.suite === suite);
    const attributes = { name: suite, timestamp: run.startedAt, ...countKinds(suiteCases) };
    return formatElement('testsuite', attributes, [propertiesElement, ...suiteCases.map(formatCase)]);
  });
  const root = formatElement('testsuites', { name, ...countKinds(cases) }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

/**
 * Creates a test case for each gate, custom test and requirement, and for the run if only its verdict shows that it did not pass. Leaves
 * out the gate `run/custom-tests`, so that a failed custom test counts once.
 */
function createCases(run: Conformance): TestCase[] {
  const gates = run.gates.filter(({ address }) => address !== 'run/custom-tests');
  const cases = [
    ...gates.map(({ address, statement, verdict, expected, actual }): TestCase => {
      const message = `expected ${expected}; got ${actual}`;
      return { suite: 'run', name: `${address}: ${statement}`, kind: elementByVerdict[verdict], message };
    }),
    ...(run.customTests ?? []).map(createCustomCase),
    ...run.requirements.map((requirement) => createCase(run, requirement)),
  ];
  const isExplained = cases.some(({ kind }) => kind === 'failure' || kind === 'error');
  if (run.verdict === 'pass' || isExplained) return cases;
  const message = formatVerdictSentence(run);
  return [
    { suite: 'run', name: 'run: has a verdict', kind: elementByVerdict[run.verdict], message },
    ...cases,
  ];
}

/** Creates the test case of a custom test, without the error, which may hold values of the target. */
function createCustomCase({ title, failed, skipped }: CustomTest): TestCase {
  const test = { suite: 'custom', name: title };
  if (failed)
    return { ...test, kind: 'failure', message: 'the error is in the reports of Playwright and Allure' };
  return { ...test, kind: skipped ? 'skipped' : undefined, message: 'the test skipped itself' };
}

function createCase(run: Conformance, requirement: ReportedRequirement): TestCase {
  const { operation, address, statement, verdict, reason = '' } = requirement;
  const test = { suite: operation, name: `${address}: ${statement}`, kind: elementByVerdict[verdict] };
  const first = summarizeFailure(requirement, run.findings)?.first;
  const message =
    verdict === 'violation' && first
      ? `expected ${first.expected}; got ${first.actual}`
      : `${verdict}: ${reason}`;
  return first ? { ...test, message, text: formatFailure(requirement, run.findings) } : { ...test, message };
}

function countKinds(cases: TestCase[]) {
  const count = (kind: TestCase['kind']) => cases.filter((testCase) => testCase.kind === kind).length;
  const [failures, errors, skipped] = [count('failure'), count('error'), count('skipped')];
  return { tests: cases.length, failures, errors, skipped };
}

function formatCase({ suite, name, kind, message, text }: TestCase): string {
  const attributes = { classname: suite, name };
  if (!kind) return formatElement('testcase', attributes);
  const outcome = formatElement(kind, { message }, text ? [escapeXml(text)] : []);
  return formatElement('testcase', attributes, [outcome]);
}

/** Formats an XML element. Escapes the attributes, but not `content`, which must be XML. */
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

/** Characters that XML 1.0 cannot hold (section 2.2), not even escaped. */
const invalidCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Escapes a text for XML. Removes the characters that XML 1.0 cannot hold (section 2.2). */
const escapeXml = (text: string) =>
  text.replace(invalidCharacters, '').replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
