import type { Finding } from '../tests/client/observation.ts';
import { kindsOf } from '../tests/verdict/changes.ts';
import { type Conformance, found, having, mockMark, type ReportedRequirement } from './conformance.ts';
import { drifts, observedTable, serverErrors } from './observed.ts';
import { countsLine, partOf } from './summary.ts';

const marks = { pass: '✅ pass', fail: '❌ fail', error: '⚠️ error' };

/** `conformance.md`: one screen, for a pull request or a job summary. */
export function markdownOf(conformance: Conformance): string {
  const { target, profile, startedAt, requests, verdict, coverage, notes } = conformance;
  return [
    `## ${marks[verdict]}${mockMark(conformance)} · lookup API conformance of ${target}`,
    '',
    `${countsLine(conformance)}; ${requests} requests, ${coverage.nodes.percentage} % of schema nodes exercised.`,
    `Profile \`${profile}\`, ${startedAt}${partOf(conformance)}.`,
    '',
    ...table(conformance),
    ...changeLines(conformance),
    ...list('Notes', notes),
    ...list('Server errors on bad input', serverErrors(conformance)),
    ...list('Violations', unique(found(conformance, 'violation')).map(violationLines)),
    ...list('The run', [...found(conformance, 'coverage'), ...found(conformance, 'stale')].map(runLine)),
    ...list('Deviations, tolerated', unique(found(conformance, 'deviation')).map(deviationLine)),
    ...list('Undeclared fields', unique(found(conformance, 'undeclared')).map(undeclaredLine)),
    ...list('Not exercised', gathered(conformance, 'not exercised')),
    ...list('Blocked', gathered(conformance, 'blocked')),
    ...list('Behaviour that has changed since it was recorded', drifts(conformance)),
    ...observedTable(conformance),
  ].join('\n');
}

function table({ requirements }: Conformance): string[] {
  const operations = [...new Set(requirements.map(({ operation }) => operation))];
  const count = (operation: string, verdict: ReportedRequirement['verdict']) =>
    requirements.filter((one) => one.operation === operation && one.verdict === verdict).length;
  const verdicts = ['pass', 'violation', 'deviation', 'not exercised', 'blocked'] as const;
  const heads = ['operation', 'requirements', ...verdicts];
  const total = (operation: string) => requirements.filter((one) => one.operation === operation).length;
  const row = (operation: string) => [
    operation,
    total(operation),
    ...verdicts.map((verdict) => count(operation, verdict)),
  ];
  const lines = [heads, heads.map((_, index) => (index ? '---:' : '---')), ...operations.map(row)];
  return [...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
}

const list = (title: string, items: string[]) =>
  items.length > 0 ? [`### ${title}`, '', ...items.map((item) => `- ${item}`), ''] : [];

/** The first finding of each requirement and place pattern, with the number of all of them. */
function unique(findings: Finding[]): Finding[] {
  const first = new Map<string, Finding & { places: number }>();
  for (const finding of findings) {
    const key = `${finding.requirement} ${finding.pointer.replace(/\/\d+/g, '/*')}`;
    const { places = 1 } = finding;
    const known = first.get(key);
    first.set(key, known ? { ...known, places: known.places + places } : { ...finding, places });
  }
  return [...first.values()];
}

const more = ({ places = 1 }: Finding) => (places > 1 ? ` (${places} places)` : '');

const violationLines = (finding: Finding) =>
  [
    `**\`${finding.requirement}\`** at \`${finding.pointer}\` of \`${finding.exchange}\`${more(finding)}`,
    `  expected ${finding.expected}; came ${finding.actual}`,
    `  \`${finding.repeat ?? ''}\``,
  ].join('  \n');

const runLine = ({ kind, requirement, expected, actual }: Finding) =>
  `${kind} ${requirement}: expected ${expected}; came ${actual}`;

const deviationLine = (finding: Finding) =>
  `\`${finding.requirement}\` at \`${finding.pointer}\`: ${finding.actual}${more(finding)}. ${finding.because}`;

const undeclaredLine = (finding: Finding) =>
  `${finding.operation} \`${finding.pointer}\`: ${finding.actual}${more(finding)} (${finding.expected})`;

/** What has changed since the run that was compared with. */
function changeLines({ changes }: Conformance): string[] {
  if (!changes) return [];
  const kinds = kindsOf(changes).filter(([, addresses]) => addresses.length > 0);
  const lines = kinds.map(([kind, addresses]) => `${kind}: ${few(addresses)}`);
  const { target, startedAt } = changes.since;
  return list(`Changes since ${target}, ${startedAt}`, lines.length > 0 ? lines : ['none']);
}

/** Requirements without a verdict, a line for each reason. */
function gathered(conformance: Conformance, verdict: 'not exercised' | 'blocked'): string[] {
  const byReason = new Map<string, string[]>();
  for (const { address, reason = '' } of having(conformance, verdict))
    byReason.set(reason, [...(byReason.get(reason) ?? []), address]);
  return [...byReason].map(([reason, addresses]) => `${reason}: ${few(addresses)}`);
}

function few(addresses: string[]): string {
  const more = addresses.length > 5 ? ` and ${addresses.length - 5} more` : '';
  return (
    addresses
      .slice(0, 5)
      .map((address) => `\`${address}\``)
      .join(', ') + more
  );
}
