import type { GateResult } from '../tests/verdict/gates.ts';
import { originMark, partOfContract, verdictSentence } from '../tests/verdict/sentence.ts';
import type { Verdict } from '../tests/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';
import { elsewhereText, entryOf } from './entries.ts';

/** One test case and its result. */
interface TestCase {
  suite: string;
  name: string;
  outcome?: Outcome;
}

interface Outcome {
  kind: 'failure' | 'error' | 'skipped';
  message: string;
  text?: string;
}

/** What a requirement is in JUnit, by its verdict; with any other one it passes. */
const kinds: Partial<Record<Verdict, Outcome['kind']>> = {
  violation: 'failure',
  blocked: 'error',
  error: 'error',
  'not exercised': 'skipped',
};

/**
 * `junit.xml`: a violation is a failure, what is blocked or a fault of this suite an error, and what was not exercised
 * is skipped, each with its reason. A run that does not pass has a failure or an error for any reason.
 */
export function junitOf(conformance: Conformance): string {
  const cases = [
    ...gateCases(conformance),
    ...conformance.requirements.map((one) => caseOf(conformance, one)),
  ];
  const suites = [...new Set(cases.map(({ suite }) => suite))];
  const { startedAt } = conformance;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    element('testsuites', { name: suiteName(conformance), ...countsOf(cases) }, [
      ...suites.map((suite) => {
        const own = cases.filter((one) => one.suite === suite);
        return element(
          'testsuite',
          { name: suite, timestamp: startedAt, ...countsOf(own) },
          own.map(caseElement),
        );
      }),
    ]),
    '',
  ].join('\n');
}

/** A run on the embedded mock is marked wherever its verdict is shown. */
const suiteName = (conformance: Conformance) =>
  `lookup API conformance of ${conformance.target}${originMark(conformance)}${part(conformance)}`;

function part(conformance: Conformance): string {
  const which = partOfContract(conformance);
  return which ? `: ${which}` : '';
}

/** Gates as test cases, and one for a verdict that neither they nor a requirement explain. */
function gateCases(conformance: Conformance): TestCase[] {
  const { gates = [], requirements, verdict } = conformance;
  const isExplained =
    verdict === 'pass' ||
    gates.some((gate) => gate.verdict !== 'pass') ||
    requirements.some((one) => kinds[one.verdict] === 'failure' || kinds[one.verdict] === 'error');
  const cases = gates.map(gateCase);
  if (isExplained) return cases;
  const outcome: Outcome = {
    kind: verdict === 'fail' ? 'failure' : 'error',
    message: verdictSentence(conformance),
  };
  return [...cases, { suite: 'run', name: 'run: has a verdict', outcome }];
}

function gateCase({ address, statement, verdict, expected, actual }: GateResult): TestCase {
  const test = { suite: 'run', name: `${address}: ${statement}` };
  if (verdict === 'pass') return test;
  const kind = verdict === 'fail' ? 'failure' : 'error';
  return { ...test, outcome: { kind, message: `expected ${expected}; got ${actual}` } };
}

function caseOf(conformance: Conformance, requirement: ReportedRequirement): TestCase {
  const { address, statement, operation, verdict, reason = '' } = requirement;
  const test = { suite: operation, name: `${address}: ${statement}` };
  const kind = kinds[verdict];
  if (!kind) return test;
  if (verdict === 'violation') return { ...test, outcome: failureOf(conformance, requirement) };
  return { ...test, outcome: { kind, message: `${verdict}: ${reason}` } };
}

function failureOf(conformance: Conformance, requirement: ReportedRequirement): Outcome {
  const entry = entryOf(conformance, requirement);
  if (!entry) return { kind: 'failure', message: 'violation' };
  const { first, extent, reason = '' } = entry;
  const lines = [
    `${extent}; first ${first.exchange} ${first.pointer}`,
    elsewhereText(entry),
    reason,
    `contract section ${requirement.source} (${requirement.level})`,
    first.repeat ?? '',
    first.against
      ? `against ${first.against.exchange} ${first.against.pointer}: ${first.against.actual}`
      : '',
    first.against?.repeat ?? '',
    first.sent ? `sent in this order: ${first.sent.join(', ')}` : '',
  ];
  const message = `expected ${first.expected}; got ${first.actual}`;
  return { kind: 'failure', message, text: lines.filter(Boolean).join('\n') };
}

function countsOf(cases: TestCase[]) {
  const count = (kind: string) => cases.filter(({ outcome }) => outcome?.kind === kind).length;
  return {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
}

function caseElement({ suite, name, outcome }: TestCase): string {
  if (!outcome) return element('testcase', { classname: suite, name });
  const { kind, message, text } = outcome;
  const said = element(kind, { message }, text ? [escapeXml(text)] : []);
  return element('testcase', { classname: suite, name }, [said]);
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
