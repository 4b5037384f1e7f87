import { html } from 'hono/html';
import type { Question } from '../schemas/contract/questions.ts';
import { formatCount } from '../schemas/counted.ts';
import { summarizeFailure } from '../src/verdict/entry.ts';
import { formatVerdictCounts, isJudged } from '../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';
import { isAnswered } from './last-seen.ts';
import { formatAnsweredCount, formatMinute, formatRequestsOrTraffic, formatVersions } from './lines.ts';
import { markdownName, markdownTable, markdownText } from './markdown.ts';
import { type Html, renderPage, renderProse, renderTable } from './pages/html.ts';

type Runs = readonly [Conformance, Conformance];

interface ComparedRow {
  /** Name of what the row compares: the requirement `getCard/http/status`, the question `offset-unit`, or the setting `profile`. */
  id: string;
  statement: string;
  /** Text of the first run and text of the second run, such as `['records', 'pages']`. */
  cells: readonly [string, string];
}

export interface Comparison {
  sentence: string;
  /**
   * Names of both runs, such as `['staging', 'production']`. If both runs have the same target, each name also has the start time
   * of the run, as in `staging at 2026-11-22T06:44:00.000Z`.
   */
  labels: readonly [string, string];
  caveats: string[];
  isEqualWithoutCaveats: boolean;
  tables: { id: string; title: string; rows: ComparedRow[] }[];
}

export function compareRuns(runs: Runs, questions: Question[]): Comparison {
  const labels = createLabels(runs);
  const requirementRows = createRequirementRows(runs);
  const answerRows = createAnswerRows(runs, questions);
  const caveats = listCaveats(runs, labels);
  const differenceCount = requirementRows.length + answerRows.length;
  const hasCaveats = caveats.length > 0;
  const tables = [
    { id: 'requirements', title: 'Requirements with different verdicts', rows: requirementRows },
    { id: 'behaviour', title: 'Questions with different answers', rows: answerRows },
    { id: 'runs', title: 'The runs', rows: createPropertyRows(runs) },
  ];
  return {
    sentence: formatDifferenceCount(differenceCount, labels, hasCaveats),
    labels,
    caveats,
    isEqualWithoutCaveats: differenceCount === 0 && !hasCaveats,
    tables: tables.filter(({ rows }) => rows.length > 0),
  };
}

function formatDifferenceCount(
  differenceCount: number,
  [firstLabel, secondLabel]: Comparison['labels'],
  hasCaveats: boolean,
): string {
  if (differenceCount > 0)
    return `${formatCount(differenceCount, 'difference')} between ${firstLabel} and ${secondLabel}`;
  const restriction = hasCaveats ? ', in what could be compared' : '';
  return `No difference between ${firstLabel} and ${secondLabel}${restriction}`;
}

function createLabels([first, second]: Runs): Comparison['labels'] {
  if (first.target !== second.target) return [first.target, second.target];
  return [`${first.target} at ${first.startedAt}`, `${second.target} at ${second.startedAt}`];
}

function listCaveats(runs: Runs, labels: Comparison['labels']): string[] {
  const [first, second] = runs;
  const isSameRun = first.target === second.target && first.startedAt === second.startedAt;
  const caveats: string[] = [];
  for (const setting of ['contract', 'profile'] as const)
    if (first[setting] !== second[setting])
      caveats.push(`The runs have different ${setting}s: ${first[setting]} and ${second[setting]}.`);
  if (isSameRun) caveats.push('Both files are from the same run.');
  caveats.push(...listRunCaveats(first, labels[0]), ...listRunCaveats(second, labels[1]));
  const incomparableCount = countJudgedByOneRun(runs);
  if (incomparableCount > 0)
    caveats.push(
      `${formatCount(incomparableCount, 'requirement')} could not be compared, because only one run judged them.`,
    );
  return caveats;
}

function countJudgedByOneRun(runs: Runs): number {
  const judgedByBoth = pairJudgedResults(runs).length;
  const judgedResults = runs.flatMap(listJudgedResults);
  // A requirement that both runs judged has two results.
  return judgedResults.length - 2 * judgedByBoth;
}

function listRunCaveats({ shard, verdict }: Conformance, label: string): string[] {
  const caveats: string[] = [];
  if (shard) caveats.push(`${label} is shard ${shard.current} of ${shard.total}, not a whole run.`);
  if (verdict === 'error') caveats.push(`${label} ended with an error, so its verdicts are not reliable.`);
  return caveats;
}

const listJudgedResults = ({ requirements }: Conformance) =>
  requirements.filter(({ verdict }) => isJudged(verdict));

function pairJudgedResults([first, second]: Runs): (readonly [ReportedRequirement, ReportedRequirement])[] {
  const resultsOfSecond = listJudgedResults(second);
  return listJudgedResults(first).flatMap((resultOfFirst) => {
    const resultOfSecond = resultsOfSecond.find(({ address }) => address === resultOfFirst.address);
    return resultOfSecond ? [[resultOfFirst, resultOfSecond] as const] : [];
  });
}

const createRequirementRows = (runs: Runs): ComparedRow[] =>
  pairJudgedResults(runs)
    .filter(([first, second]) => first.verdict !== second.verdict)
    .map(([first, second]) => ({
      id: first.address,
      statement: first.statement,
      cells: [formatVerdictCell(runs[0], first), formatVerdictCell(runs[1], second)],
    }));

function formatVerdictCell(run: Conformance, result: ReportedRequirement): string {
  const { verdict, exercised } = result;
  if (verdict === 'pass') return `pass in ${formatCount(exercised, 'place')}`;
  const { extent: occurrenceText = '' } = summarizeFailure(result, run.findings) ?? {};
  return `${verdict} ${occurrenceText}`;
}

function createAnswerRows([first, second]: Runs, questions: Question[]): ComparedRow[] {
  // The answers to these questions depend on the records of the target, and not only on its behaviour.
  const questionsAboutRecords = questions.filter(({ grows: dependsOnRecords }) => dependsOnRecords);
  const excludedIds = questionsAboutRecords.map(({ id }) => id);
  const comparedAnswers = first.observed.filter(isAnswered).filter(({ id }) => !excludedIds.includes(id));
  const secondAnswers = second.observed.filter(isAnswered);
  const rows: ComparedRow[] = [];
  for (const { id, question, answer } of comparedAnswers) {
    const secondAnswer = secondAnswers.find((candidate) => candidate.id === id)?.answer;
    if (secondAnswer === undefined || secondAnswer === answer) continue;
    rows.push({ id, statement: question, cells: [answer, secondAnswer] });
  }
  return rows;
}

const comparedProperties: [id: string, formatProperty: (run: Conformance) => string][] = [
  ['target', ({ target }) => target],
  ['verdict', ({ verdict }) => verdict],
  ['run', ({ startedAt }) => formatMinute(startedAt)],
  ['profile', ({ profile }) => profile],
  ['versions', formatVersions],
  ['basis', formatRequestsOrTraffic],
  ['requirements', ({ requirements }) => formatVerdictCounts(requirements).join(', ')],
  ['schema nodes seen', ({ coverage }) => `${coverage.nodes.percentage} %`],
  ['values and states seen', ({ coverage }) => `${coverage.states.percentage} %`],
  ['open questions', formatAnsweredCount],
];

const createPropertyRows = ([first, second]: Runs): ComparedRow[] =>
  comparedProperties.map(([id, formatProperty]) => ({
    id,
    statement: '',
    cells: [formatProperty(first), formatProperty(second)],
  }));

export const renderComparisonMarkdown = ({ sentence, labels, caveats, tables }: Comparison): string =>
  [
    `## ${markdownText(sentence)}`,
    '',
    ...caveats.map((caveat) => `> **${markdownText(caveat)}**\n`),
    ...tables.flatMap(({ title, rows }) => [
      `### ${title}`,
      '',
      ...markdownTable(['', ...labels.map(markdownText)], rows.map(formatRow)),
    ]),
  ].join('\n');

const formatRow = ({ id, statement, cells }: ComparedRow) => [
  [markdownName(id), markdownText(statement)].filter(Boolean).join(' '),
  ...cells.map(markdownText),
];

export function renderComparisonPage(comparison: Comparison): string {
  const { sentence, labels, caveats, isEqualWithoutCaveats, tables } = comparison;
  const renderRow = ({ id, statement, cells }: ComparedRow): Html => html`<tr role="row">
  <th role="rowheader" scope="row"><code>${id}</code>${statement && html`<p>${renderProse(statement)}</p>`}</th>
  ${cells.map((cell, index) => html`<td role="cell" data-label="${labels[index]}">${renderProse(cell)}</td>`)}
</tr>`;
  const body = html`<a class="skip" href="#main">Skip to the content</a>
<header id="verdict" class="verdict ${isEqualWithoutCaveats && 'pass'}">
  <h1>${sentence}</h1>
  ${caveats.map((caveat) => html`<p class="note"><strong>${caveat}</strong></p>`)}
</header>
<nav aria-label="Contents">
  <ul>${tables.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
  <ul class="reports"><li><a href="compare.md">Summary</a></li></ul>
</nav>
<main id="main">
${tables.map(({ id, title, rows }) => html`<section id="${id}" aria-label="${title}">${renderTable(title, ['Place', ...labels], rows.map(renderRow))}</section>`)}
</main>`;
  return renderPage(sentence, body);
}
