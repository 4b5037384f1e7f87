import { html } from 'hono/html';
import type { Question } from '../schemas/contract/questions.ts';
import { counted } from '../schemas/counted.ts';
import { summarizeFailure } from '../src/verdict/entry.ts';
import { formatVerdictCounts, isJudged } from '../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';
import { basisOf, minute, observedLine, versionsLine } from './lines.ts';
import { markdownName, markdownTable, markdownText } from './markdown.ts';
import { type Html, pageOf, prose, table } from './pages/html.ts';

/** Two runs, in the order in which they were named. */
type Runs = readonly [Conformance, Conformance];

/** One thing, and what each run says of it. */
interface Row {
  /** Address of a requirement, the name of an open question, or a fact of a run. */
  id: string;
  statement: string;
  sides: readonly [string, string];
}

/** Two runs side by side. */
export interface Comparison {
  /** The outcome in one sentence. */
  sentence: string;
  /** How the runs are called: by target, and by time where both have the same. */
  labels: readonly [string, string];
  /** What limits the comparison as a whole; said before all else. */
  caveats: string[];
  isAlike: boolean;
  /** What differs, and facts of both runs: a column for each run. */
  tables: { id: string; title: string; rows: Row[] }[];
}

/** Compares two runs. Pure; two runs of one target have no differences. */
export function compareRuns(runs: Runs, questions: Question[]): Comparison {
  const isSameTarget = runs[0].target === runs[1].target;
  const labelOf = ({ target, startedAt }: Conformance) =>
    isSameTarget ? `${target} at ${startedAt}` : target;
  const labels = [labelOf(runs[0]), labelOf(runs[1])] as const;
  const [requirements, answers] = [requirementRows(runs), answerRows(runs, questions)];
  const caveats = caveatsOf(runs, labels);
  const count = requirements.length + answers.length;
  const tables = [
    { id: 'requirements', title: 'Requirements with different verdicts', rows: requirements },
    { id: 'behaviour', title: 'Questions with different answers', rows: answers },
    { id: 'runs', title: 'The runs', rows: factsOf(runs) },
  ];
  return {
    sentence: `${count > 0 ? counted(count, 'difference') : 'No difference'} between ${labels[0]} and ${labels[1]}`,
    labels,
    caveats,
    isAlike: count === 0 && caveats.length === 0,
    tables: tables.filter(({ rows }) => rows.length > 0),
  };
}

function caveatsOf(runs: Runs, labels: Comparison['labels']): string[] {
  const [first, second] = runs;
  const isSame = first.target === second.target && first.startedAt === second.startedAt;
  const different = (['contract', 'profile'] as const).filter((key) => first[key] !== second[key]);
  const judged = runs.flatMap(({ requirements }) => requirements.filter(({ verdict }) => isJudged(verdict)));
  const once = judged.length - 2 * pairsOf(runs).length;
  return [
    ...different.map((key) => `The runs have different ${key}s: ${first[key]} and ${second[key]}.`),
    ...(isSame ? ['Both files are from the same run.'] : []),
    ...runs.flatMap(({ shard, verdict }, index) => [
      ...(shard ? [`${labels[index]} is shard ${shard.current} of ${shard.total}, not a whole run.`] : []),
      ...(verdict === 'error'
        ? [`${labels[index]} ended with an error, so its verdicts are not reliable.`]
        : []),
    ]),
    ...(once > 0
      ? [`${counted(once, 'requirement')} could not be compared, because only one run judged them.`]
      : []),
  ];
}

/** Requirements that both runs have judged. */
const pairsOf = ([first, second]: Runs) =>
  first.requirements.flatMap((one) => {
    const other = second.requirements.find(({ address }) => address === one.address);
    return other && isJudged(one.verdict) && isJudged(other.verdict) ? [[one, other] as const] : [];
  });

/** Requirements of which both runs say something else. */
const requirementRows = (runs: Runs): Row[] =>
  pairsOf(runs)
    .filter(([one, other]) => one.verdict !== other.verdict)
    .map(([one, other]) => ({
      ...{ id: one.address, statement: one.statement },
      sides: [sideOf(runs[0], one), sideOf(runs[1], other)],
    }));

/** A verdict with the number of places and requests that show it. */
const sideOf = (run: Conformance, result: ReportedRequirement): string =>
  result.verdict === 'pass'
    ? `pass in ${counted(result.exercised, 'place')}`
    : `${result.verdict} ${summarizeFailure(result, run.findings)?.extent ?? ''}`;

/** Open questions that the targets answer in different ways; not those of which the records or a bad moment decide. */
function answerRows([first, second]: Runs, questions: Question[]): Row[] {
  const isOfRecords = (id: string) => questions.find((one) => one.id === id)?.grows;
  return first.observed.flatMap((one) => {
    const other = second.observed.find(({ id }) => id === one.id);
    const isKnown = one.confidence !== 'unknown' && other && other.confidence !== 'unknown';
    if (!isKnown || isOfRecords(one.id) || one.answer === other.answer) return [];
    return [{ id: one.id, statement: one.question, sides: [one.answer, other.answer] as const }];
  });
}

const facts: [id: string, fact: (run: Conformance) => string][] = [
  ['target', ({ target }) => target],
  ['verdict', ({ verdict }) => verdict],
  ['run', ({ startedAt }) => minute(startedAt)],
  ['profile', ({ profile }) => profile],
  ['versions', versionsLine],
  ['basis', basisOf],
  ['requirements', ({ requirements }) => formatVerdictCounts(requirements).join(', ')],
  ['schema nodes seen', ({ coverage }) => `${coverage.nodes.percentage} %`],
  ['values and states seen', ({ coverage }) => `${coverage.states.percentage} %`],
  ['open questions', observedLine],
];

/** Facts of both runs, one below the other. */
const factsOf = ([first, second]: Runs): Row[] =>
  facts.map(([id, fact]) => ({ id, statement: '', sides: [fact(first), fact(second)] }));

/** `compare.md`: two runs side by side, for a pull request or a job summary. */
export const comparisonMarkdown = ({ sentence, labels, caveats, tables }: Comparison): string =>
  [
    `## ${markdownText(sentence)}`,
    '',
    ...caveats.map((caveat) => `> **${markdownText(caveat)}**\n`),
    ...tables.flatMap(({ title, rows }) => [
      `### ${title}`,
      '',
      ...markdownTable(['', ...labels.map(markdownText)], rows.map(cellsOf)),
    ]),
  ].join('\n');

const cellsOf = ({ id, statement, sides }: Row) => [
  [markdownName(id), markdownText(statement)].filter(Boolean).join(' '),
  ...sides.map(markdownText),
];

/** `compare.html`: two runs side by side. It needs no script. */
export function comparisonPage({ sentence, labels, caveats, isAlike, tables }: Comparison): string {
  const row = ({ id, statement, sides }: Row): Html => html`<tr role="row">
  <th role="rowheader" scope="row"><code>${id}</code>${statement && html`<p>${prose(statement)}</p>`}</th>
  ${sides.map((side, index) => html`<td role="cell" data-label="${labels[index]}">${prose(side)}</td>`)}
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
${tables.map(({ id, title, rows }) => html`<section id="${id}" aria-label="${title}">${table(title, ['Place', ...labels], rows.map(row))}</section>`)}
</main>`;
  return pageOf(sentence, body);
}
