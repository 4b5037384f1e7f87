import { shownToCaller } from '../src/run/caller-folder.ts';
import { placeInBody } from '../src/verdict/failure-text.ts';
import { boundText, verdictSentence } from '../src/verdict/sentence.ts';
import { headings, isJudged } from '../src/verdict/verdicts.ts';
import type { Conformance } from './conformance.ts';
import {
  basisOf,
  circumstances,
  countsLine,
  deviationText,
  minute,
  observedLine,
  type Style,
  sectionsOf,
  versionsLine,
} from './lines.ts';

/** How a terminal shows lines: one for each requirement. */
const style: Style<string> = {
  named: 3,
  code: (text) => text,
  text: (line) => line,
  violation({ address, extent, first, says, reason }) {
    const place = `${first.exchange} ${placeInBody(first.pointer)}`.trimEnd();
    return `${address}: ${extent}; first ${place}: ${says}${reason && `; ${reason}`}`;
  },
  deviation: (entry) => deviationText(entry, (address) => address),
};

/** The closing summary of a run, for a terminal. @param shown the run that page and badge are of */
export function summaryOf(run: Conformance, reportsDir: string, shown = run): string {
  const { requests, requirements, traffic } = run;
  // Of a run that could not begin, there is nothing to say but why.
  const hasBegun = requests > 0 || requirements.length > 0 || traffic !== undefined;
  const isOneCause = hasOneCause(run);
  const sections = sectionsOf(run, style).filter(([title]) => !isOneCause || !repeating.includes(title));
  const lines = [
    verdictSentence(run),
    ...(hasBegun ? factsOf(run) : []),
    ...sections.flatMap(([title, all]) => [`${title}:`, ...all.map((line) => `  - ${line}`)]),
    ...(isOneCause ? ['npm run doctor looks for the cause; the reports have the rest'] : []),
    `reports: ${shownToCaller(reportsDir)}, contract.html first`,
    ...(shown === run
      ? []
      : [`contract.html and badge.svg are still of the whole run of ${minute(shown.startedAt)}`]),
  ];
  return `\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** Sections that tell the cause again where nothing was judged. */
const repeating: readonly string[] = [
  'Gates of the run',
  headings.blocked,
  'Notes',
  headings['not exercised'],
];

/** Whether nothing was judged, for one reason. */
function hasOneCause({ requirements, traffic }: Conformance): boolean {
  if (requirements.length === 0 || traffic || requirements.some(({ verdict }) => isJudged(verdict)))
    return false;
  const blocked = requirements.filter(({ verdict }) => verdict === 'blocked');
  return new Set(blocked.map(({ reason }) => reason)).size === 1;
}

function factsOf(run: Conformance): string[] {
  const { nodes, states } = run.coverage;
  return [
    `target ${run.target}, ${circumstances(run)}, ${basisOf(run)}`,
    countsLine(run),
    `coverage ${nodes.percentage} % of schema nodes, ${states.percentage} % of values and states`,
    ...[boundText(run.requirements)].filter(Boolean),
    versionsLine(run),
    ...(run.observed.length > 0 ? [`observed: ${observedLine(run)}`] : []),
  ];
}
