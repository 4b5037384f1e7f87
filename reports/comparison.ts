import { html } from 'hono/html';
import type { Question } from '../schemas/contract/questions.ts';
import { formatCount } from '../schemas/counted.ts';
import { summarizeFailure } from '../src/verdict/entry.ts';
import { formatVerdictCounts, isJudged } from '../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';
import { isAnswered } from './last-seen.ts';
import { formatAnsweredCount, formatBasis, formatMinute, formatVersions } from './lines.ts';
import { markdownName, markdownTable, markdownText } from './markdown.ts';
import { type Html, renderPage, renderProse, renderTable } from './pages/html.ts';

type Runs = readonly [Conformance, Conformance];

interface ComparedRow {
  /** Address of a requirement (`getCard/http`), id of an open question (`offset-unit`), or property of a run (`profile`). */
  id: string;
  statement: string;
  /** Texts for the first and the second run: `['pass in 12 places', 'violation in 2 of 12 places']`. */
  cells: readonly [string, string];
}

export interface Comparison {
  sentence: string;
  /** Names of the two runs: `staging`, or `staging at 2026-11-22T06:44:13.000Z` if both have the same target. */
  labels: readonly [string, string];
  caveats: string[];
  /** True if all verdicts and answers are equal, and there are no `caveats`. */
  isAlike: boolean;
  tables: { id: string; title: string; rows: ComparedRow[] }[];
}

export function compareRuns(runs: Runs, questions: Question[]): Comparison {
  const isSameTarget = runs[0].target === runs[1].target;
  const formatLabel = ({ target, startedAt }: Conformance) =>
    isSameTarget ? `${target} at ${startedAt}` : target;
  const labels = [formatLabel(runs[0]), formatLabel(runs[1])] as const;
  const requirementRows = createRequirementRows(runs);
  const answerRows = createAnswerRows(runs, questions);
  const caveats = listCaveats(runs, labels);
  const differenceCount = requirementRows.length + answerRows.length;
  const countText = differenceCount > 0 ? formatCount(differenceCount, 'difference') : 'No difference';
  const limit = differenceCount === 0 && caveats.length > 0 ? ', in what could be compared' : '';
  const tables = [
    { id: 'requirements', title: 'Requirements with different verdicts', rows: requirementRows },
    { id: 'behaviour', title: 'Questions with different answers', rows: answerRows },
    { id: 'runs', title: 'The runs', rows: createPropertyRows(runs) },
  ];
  return {
    sentence: `${countText} between ${labels[0]} and ${labels[1]}${limit}`,
    labels,
    caveats,
    isAlike: differenceCount === 0 && caveats.length === 0,
    tables: tables.filter(({ rows }) => rows.length > 0),
  };
}

function listCaveats(runs: Runs, labels: Comparison['labels']): string[] {
  const [first, second] = runs;
  const isSameRun = first.target === second.target && first.startedAt === second.startedAt;
  const differentSettings = (['contract', 'profile'] as const).filter((key) => first[key] !== second[key]);
  const judgedRequirements = runs.flatMap(({ requirements }) =>
    requirements.filter(({ verdict }) => isJudged(verdict)),
  );
  // A pair holds one result of each run.
  const unpairedCount = judgedRequirements.length - 2 * pairJudgedResults(runs).length;
  return [
    ...differentSettings.map((key) => `The runs have different ${key}s: ${first[key]} and ${second[key]}.`),
    ...(isSameRun ? ['Both files are from the same run.'] : []),
    ...listRunCaveats(first, labels[0]),
    ...listRunCaveats(second, labels[1]),
    ...(unpairedCount > 0
      ? [
          `${formatCount(unpairedCount, 'requirement')} could not be compared, because only one run judged them.`,
        ]
      : []),
  ];
}

const listRunCaveats = ({ shard, verdict }: Conformance, label: string): string[] => [
  ...(shard ? [`${label} is shard ${shard.current} of ${shard.total}, not a whole run.`] : []),
  ...(verdict === 'error' ? [`${label} ended with an error, so its verdicts are not reliable.`] : []),
];

const pairJudgedResults = ([first, second]: Runs) =>
  first.requirements.flatMap((result) => {
    const counterpart = second.requirements.find(({ address }) => address === result.address);
    const areJudged = isJudged(result.verdict) && isJudged(counterpart?.verdict);
    return counterpart && areJudged ? [[result, counterpart] as const] : [];
  });

const createRequirementRows = (runs: Runs): ComparedRow[] =>
  pairJudgedResults(runs)
    .filter(([result, counterpart]) => result.verdict !== counterpart.verdict)
    .map(([result, counterpart]) => ({
      id: result.address,
      statement: result.statement,
      cells: [formatVerdictCell(runs[0], result), formatVerdictCell(runs[1], counterpart)],
    }));

/** Formats a verdict with its extent: "pass in 12 places", "violation in 2 of 12 places, in 1 of 3 requests". */
const formatVerdictCell = (run: Conformance, result: ReportedRequirement): string =>
  result.verdict === 'pass'
    ? `pass in ${formatCount(result.exercised, 'place')}`
    : `${result.verdict} ${summarizeFailure(result, run.findings)?.extent ?? ''}`;

function createAnswerRows([first, second]: Runs, questions: Question[]): ComparedRow[] {
  // The answers to questions with `grows` depend on the records of the target.
  const dependsOnRecords = (id: string) => questions.find((question) => question.id === id)?.grows;
  return first.observed.flatMap((firstAnswer) => {
    const { id, question } = firstAnswer;
    const secondAnswer = second.observed.find((answer) => answer.id === id);
    if (!secondAnswer || !isAnswered(firstAnswer) || !isAnswered(secondAnswer)) return [];
    const cells = [firstAnswer.answer, secondAnswer.answer] as const;
    const isEqual = cells[0] === cells[1];
    return isEqual || dependsOnRecords(id) ? [] : [{ id, statement: question, cells }];
  });
}

const comparedProperties: [id: string, formatProperty: (run: Conformance) => string][] = [
  ['target', ({ target }) => target],
  ['verdict', ({ verdict }) => verdict],
  ['run', ({ startedAt }) => formatMinute(startedAt)],
  ['profile', ({ profile }) => profile],
  ['versions', formatVersions],
  ['basis', formatBasis],
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

export function renderComparisonPage({ sentence, labels, caveats, isAlike, tables }: Comparison): string {
  const renderRow = ({ id, statement, cells }: ComparedRow): Html => html`<tr role="row">
  <th role="rowheader" scope="row"><code>${id}</code>${statement && html`<p>${renderProse(statement)}</p>`}</th>
  ${cells.map((cell, index) => html`<td role="cell" data-label="${labels[index]}">${renderProse(cell)}</td>`)}
</tr>`;
  const body = html`<a class="skip" href="#main">Skip to the content</a>
<header id="verdict" class="verdict ${isAlike && 'pass'}">
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
