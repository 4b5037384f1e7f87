import type { Finding } from '../tests/client/observation.ts';
import { type Conformance, found, type RequirementResult } from './conformance.ts';
import { countsLine } from './summary.ts';

const marks = { pass: '✅ pass', fail: '❌ fail', error: '⚠️ error' };

/** `conformance.md`: one screen, for a pull request or a job summary. */
export function markdownOf(conformance: Conformance): string {
  const { target, profile, startedAt, requests, verdict, coverage, notes } = conformance;
  return [
    `## ${marks[verdict]} · lookup API conformance of ${target}`,
    '',
    `${countsLine(conformance)}; ${requests} requests, ${coverage.nodes.percentage} % of schema nodes exercised.`,
    `Profile \`${profile}\`, ${startedAt}.`,
    '',
    ...table(conformance),
    ...list('Notes', notes),
    ...list('Violations', unique(found(conformance, 'violation')).map(violationLines)),
    ...list('The run', [...found(conformance, 'coverage'), ...found(conformance, 'stale')].map(runLine)),
    ...list('Deviations, tolerated', unique(found(conformance, 'deviation')).map(deviationLine)),
    ...list('Undeclared fields', unique(found(conformance, 'undeclared')).map(undeclaredLine)),
    ...list('Not exercised', notExercised(conformance)),
  ].join('\n');
}

function table({ requirements }: Conformance): string[] {
  const operations = [...new Set(requirements.map(({ operation }) => operation))];
  const count = (operation: string, verdict: RequirementResult['verdict']) =>
    requirements.filter((one) => one.operation === operation && one.verdict === verdict).length;
  const verdicts = ['pass', 'violation', 'deviation', 'not exercised', 'blocked'] as const;
  const row = (operation: string) => [operation, ...verdicts.map((verdict) => count(operation, verdict))];
  const lines = [['operation', ...verdicts], ['---', ...verdicts.map(() => '---:')], ...operations.map(row)];
  return [...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
}

const list = (title: string, items: string[]) =>
  items.length > 0 ? [`### ${title}`, '', ...items.map((item) => `- ${item}`), ''] : [];

/** The first finding of each requirement and place pattern. */
function unique(findings: Finding[]): Finding[] {
  const key = ({ requirement, pointer }: Finding) => `${requirement} ${pointer.replace(/\/\d+/g, '/*')}`;
  return [...new Map(findings.toReversed().map((finding) => [key(finding), finding])).values()].toReversed();
}

const violationLines = ({ requirement, exchange, pointer, expected, actual, repeat }: Finding) =>
  [
    `**\`${requirement}\`** at \`${pointer}\` of \`${exchange}\``,
    `  expected ${expected}; came ${actual}`,
    `  \`${repeat ?? ''}\``,
  ].join('  \n');

const runLine = ({ kind, requirement, expected, actual }: Finding) =>
  `${kind} ${requirement}: expected ${expected}; came ${actual}`;

const deviationLine = ({ requirement, pointer, actual, because }: Finding) =>
  `\`${requirement}\` at \`${pointer}\`: ${actual}. ${because}`;

const undeclaredLine = ({ operation, pointer, actual, expected }: Finding) =>
  `${operation} \`${pointer}\`: ${actual} (${expected})`;

function notExercised({ requirements }: Conformance): string[] {
  return requirements
    .filter(({ verdict }) => verdict === 'not exercised')
    .map(({ address, reason }) => `\`${address}\`: ${reason}`);
}
