import { failureText, summarizeFailure } from '../src/verdict/entry.ts';
import { describePart, getOriginMark, verdictSentence } from '../src/verdict/sentence.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';

/** Without a kind it passes. */
interface TestCase {
  suite: string;
  name: string;
  kind?: 'failure' | 'error' | 'skipped' | undefined;
  message: string;
  text?: string;
}

/** What a requirement or a gate is in JUnit, by its verdict; with any other one it passes. */
const kinds: Partial<Record<string, TestCase['kind']>> = {
  violation: 'failure',
  fail: 'failure',
  blocked: 'error',
  error: 'error',
  'not exercised': 'skipped',
};

/**
 * `junit.xml`: a violation is a failure, what is blocked or a fault of this suite an error, and what was not exercised
 * is skipped, each with its reason. A run that does not pass has a failure or an error for any reason.
 */
export function junitOf(run: Conformance): string {
  const cases = casesOf(run);
  const part = describePart(run);
  const name = `lookup API conformance of ${run.target}${getOriginMark(run)}${part ? `: ${part}` : ''}`;
  const { suite: version, edition, contract } = run;
  const properties = Object.entries({ suite: version, edition, contract }).map(([key, value]) =>
    element('property', { name: key, value }),
  );
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((suite) => {
    const own = cases.filter((one) => one.suite === suite);
    const counts = { name: suite, timestamp: run.startedAt, ...countsOf(own) };
    return element('testsuite', counts, [element('properties', {}, properties), ...own.map(caseElement)]);
  });
  const all = element('testsuites', { name, ...countsOf(cases) }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${all}\n`;
}

/** Gates and requirements, behind one more for a verdict that none of them explains. */
function casesOf(run: Conformance): TestCase[] {
  const cases = [
    ...run.gates.map(({ address, statement, verdict, expected, actual }): TestCase => {
      const message = `expected ${expected}; got ${actual}`;
      return { suite: 'run', name: `${address}: ${statement}`, kind: kinds[verdict], message };
    }),
    ...run.requirements.map((one) => caseOf(run, one)),
  ];
  const isExplained = cases.some(({ kind }) => kind === 'failure' || kind === 'error');
  if (run.verdict === 'pass' || isExplained) return cases;
  const message = verdictSentence(run);
  return [{ suite: 'run', name: 'run: has a verdict', kind: kinds[run.verdict], message }, ...cases];
}

function caseOf(run: Conformance, requirement: ReportedRequirement): TestCase {
  const { operation, address, statement, verdict, reason = '' } = requirement;
  const test = { suite: operation, name: `${address}: ${statement}`, kind: kinds[verdict] };
  const first = summarizeFailure(requirement, run.findings)?.first;
  const message =
    verdict === 'violation' && first
      ? `expected ${first.expected}; got ${first.actual}`
      : `${verdict}: ${reason}`;
  return first ? { ...test, message, text: failureText(requirement, run.findings) } : { ...test, message };
}

function countsOf(cases: TestCase[]) {
  const count = (kind: TestCase['kind']) => cases.filter((one) => one.kind === kind).length;
  const [failures, errors, skipped] = [count('failure'), count('error'), count('skipped')];
  return { tests: cases.length, failures, errors, skipped };
}

function caseElement({ suite, name, kind, message, text }: TestCase): string {
  const said = kind ? [element(kind, { message }, text ? [escapeXml(text)] : [])] : [];
  return element('testcase', { classname: suite, name }, said);
}

function element(name: string, attributes: Record<string, string | number>, content: string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  const opened = `<${name}${written.join('')}`;
  return content.length > 0 ? `${opened}>\n${content.join('\n')}\n</${name}>` : `${opened}/>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text of XML; what XML 1.0 cannot hold is left out. */
const escapeXml = (text: string) =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
