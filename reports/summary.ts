import path from 'node:path';
import type { Finding } from '../tests/client/observation.ts';
import { type Conformance, found, having, mockMark } from './conformance.ts';
import { drifts, observedLine, serverErrors } from './observed.ts';

const sentences = {
  pass: 'PASS: the target keeps the contract, as far as it was exercised',
  fail: 'FAIL: the target does not keep the contract',
  error: 'ERROR: nothing sure can be said of the target',
};

/** The verdict in a sentence, marked where it is one on the embedded mock. */
export const sentenceOf = (conformance: Conformance) =>
  plainSentenceOf(conformance).replace(':', `${mockMark(conformance)}:`);

/** A run may also fail for what it was told to demand beside the contract. */
const plainSentenceOf = (conformance: Conformance) =>
  conformance.verdict === 'fail' && having(conformance, 'violation').length === 0
    ? 'FAIL: the contract is kept, as far as it was exercised, but something else that was demanded is not'
    : sentences[conformance.verdict];

/** The closing summary of a run, for a terminal. */
export function summaryOf(conformance: Conformance, reportsDir: string): string {
  const { target, profile, requests, coverage, notes } = conformance;
  const run = `target ${target}, profile ${profile}, ${requests} requests${partOf(conformance)}`;
  const head = [sentenceOf(conformance), run];
  const lines = [
    ...head,
    countsLine(conformance),
    `coverage ${coverage.nodes.percentage} % of schema nodes, ${coverage.states.percentage} % of values and states`,
    ...section('notes', notes),
    ...(conformance.observed.length > 0 ? [`observed: ${observedLine(conformance)}`] : []),
    ...section('SERVER ERRORS on bad input', serverErrors(conformance)),
    ...section('behaviour that has changed since it was recorded', drifts(conformance)),
    ...section('violations', grouped(found(conformance, 'violation'))),
    ...section('run', found(conformance, 'coverage').concat(found(conformance, 'stale')).map(short)),
    ...section('blocked', reasons(conformance, 'blocked')),
    ...section('deviations, tolerated', grouped(found(conformance, 'deviation'))),
    ...section('undeclared fields', grouped(found(conformance, 'undeclared'))),
    ...section('not exercised', reasons(conformance, 'not exercised')),
    `reports: ${path.relative(process.cwd(), reportsDir) || '.'}`,
  ];
  return `\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** Says of a shard that it is one. */
export const partOf = ({ shard }: Conformance) =>
  shard ? `, shard ${shard.current} of ${shard.total}: merge them all for the verdict` : '';

/** Requirements by verdict, in one line. */
export function countsLine(conformance: Conformance): string {
  const verdicts = ['pass', 'violation', 'deviation', 'not exercised', 'blocked', 'error'] as const;
  const counts = verdicts.map((verdict) => [having(conformance, verdict).length, verdict] as const);
  const all = `${conformance.requirements.length} requirements`;
  return [all, ...counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`)].join(
    ', ',
  );
}

const section = (title: string, lines: string[]) =>
  lines.length > 0 ? [`${title}:`, ...lines.map((line) => `  - ${line}`)] : [];

const short = ({ kind, requirement, expected, actual }: Finding) =>
  `${[kind, requirement].filter(Boolean).join(' ')}: expected ${expected}; came ${actual}`;

/** One line a requirement: the first place it was found at, and how many there are. */
function grouped(findings: Finding[]): string[] {
  const first = new Map<string, { finding: Finding; count: number }>();
  for (const finding of findings) {
    const pattern = finding.pointer.replace(/\/\d+/g, '/*');
    const key = `${finding.requirement} ${pattern} ${finding.because ?? ''}`;
    const known = first.get(key);
    const { places = 1 } = finding;
    first.set(key, { finding: known?.finding ?? finding, count: (known?.count ?? 0) + places });
  }
  return [...first.values()].map(({ finding, count }) => {
    const { requirement, exchange, pointer, expected, actual, because } = finding;
    const more = count > 1 ? ` (${count} places)` : '';
    const why = because ? `; ${because}` : '';
    return `${requirement}: ${exchange} ${pointer}: expected ${expected}; came ${actual}${why}${more}`;
  });
}

/** Requirements of a verdict, gathered by the reason for it. */
function reasons(conformance: Conformance, verdict: 'blocked' | 'not exercised'): string[] {
  const byReason = new Map<string, string[]>();
  for (const { address, reason = '' } of having(conformance, verdict))
    byReason.set(reason, [...(byReason.get(reason) ?? []), address]);
  return [...byReason].map(([reason, addresses]) => {
    const more = addresses.length > 3 ? ` and ${addresses.length - 3} more` : '';
    return `${reason}: ${addresses.slice(0, 3).join(', ')}${more}`;
  });
}
