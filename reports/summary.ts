import { shownToCaller } from '../tests/configuration/caller-folder.ts';
import { placeInBody, placesOf } from '../tests/verdict/extent.ts';
import { partOfContract, verdictSentence } from '../tests/verdict/sentence.ts';
import { sweepSentences } from '../tests/verdict/swept.ts';
import { headings, verdictCounts } from '../tests/verdict/verdicts.ts';
import { changeLines } from './changes.ts';
import type { Conformance } from './conformance.ts';
import {
  type BrokenEntry,
  elsewhereText,
  entriesOf,
  reasonLines,
  toleratedText,
  type UndeclaredField,
  undeclaredFieldsOf,
} from './entries.ts';
import { gateLines } from './gates.ts';
import { drifts, observedLine, serverErrors } from './observed.ts';
import { basisOf, trafficLines } from './traffic.ts';

/** Addresses that a line names; the others are counted. */
const maxNamed = 3;

/** The closing summary of a run, for a terminal. */
export function summaryOf(conformance: Conformance, reportsDir: string): string {
  const lines = [
    verdictSentence(conformance),
    ...(hasBegun(conformance) ? resultLines(conformance) : section('notes', notesOf(conformance))),
    `reports: ${shownToCaller(reportsDir)}${isWhole(conformance) ? ', contract.html first' : ''}`,
  ];
  return `\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** Of a run that could not begin, there is nothing to say but why. */
const hasBegun = ({ requests, requirements, traffic }: Conformance) =>
  requests > 0 || requirements.length > 0 || traffic !== undefined;

/** A run of a part leaves the page of the whole. */
const isWhole = ({ selection, shard }: Conformance) => !selection && !shard;

/** Notes, without the one that is the verdict itself. */
const notesOf = (conformance: Conformance) =>
  conformance.notes.filter((note) => !verdictSentence(conformance).endsWith(note));

function resultLines(conformance: Conformance): string[] {
  const { target, profile, coverage } = conformance;
  return [
    `target ${target}, profile ${profile}, ${basisOf(conformance)}${shardNote(conformance)}`,
    countsLine(conformance),
    `coverage ${coverage.nodes.percentage} % of schema nodes, ${coverage.states.percentage} % of values and states`,
    ...section('recorded traffic', trafficLines(conformance)),
    ...section('notes', notesOf(conformance)),
    ...(conformance.observed.length > 0 ? [`observed: ${observedLine(conformance)}`] : []),
    ...section('sweep', sweepLines(conformance)),
    ...section('gates of the run', gateLines(conformance)),
    ...section('SERVER ERRORS on bad input', serverErrors(conformance)),
    ...section('behaviour that has changed since it was recorded', drifts(conformance)),
    ...section('violations', entriesOf(conformance, 'violation').map(violationLine)),
    ...section(headings.error.toLowerCase(), reasonLines(conformance, 'error', maxNamed)),
    ...section('blocked', reasonLines(conformance, 'blocked', maxNamed)),
    ...section('deviations, tolerated', entriesOf(conformance, 'deviation').map(deviationLine)),
    ...section('undeclared fields', fieldLines(undeclaredFieldsOf(conformance))),
    ...section('not exercised', reasonLines(conformance, 'not exercised', maxNamed)),
    ...section('changes since the last whole run', changeLines(conformance, maxNamed)),
  ];
}

/** What was looked at beyond the ordinary requests. */
export const sweepLines = ({ sweeps = [] }: Conformance): string[] => sweeps.flatMap(sweepSentences);

/** Says of a shard that it is one; empty of a whole run. */
export const shardNote = ({ shard }: Conformance): string =>
  shard ? `, ${partOfContract({ shard })}: merge them all for the verdict` : '';

/** Requirements by verdict, in one line. */
export function countsLine({ requirements, selection }: Conformance): string {
  const selected = selection ? `${selection.selected} of ${selection.total}` : `${requirements.length}`;
  return [`${selected} requirements${selection ? ' selected' : ''}`, ...verdictCounts(requirements)].join(
    ', ',
  );
}

const section = (title: string, lines: string[]) =>
  lines.length > 0 ? [`${title}:`, ...lines.map((line) => `  - ${line}`)] : [];

function violationLine(entry: BrokenEntry): string {
  const { address, extent, first, reason = '' } = entry;
  const { exchange, pointer, expected, actual } = first;
  const place = `${exchange} ${placeInBody(pointer)}`.trimEnd();
  const what = `${address}: ${extent}; first ${place}: expected ${expected}; got ${actual}`;
  return [what, elsewhereText(entry), reason].filter(Boolean).join('; ');
}

const deviationLine = ({ address, extent, first }: BrokenEntry) =>
  `${address}: ${extent}; ${first.actual}. ${toleratedText(first)}`;

/** The field that may be meant, where one has nearly the same name. */
const hintText = ({ expected }: UndeclaredField['first']) => {
  const [, hint = ''] = expected.split('; ');
  return hint && ` (${hint})`;
};

/** How many undeclared fields are listed; an open-ended provider has hundreds. */
const shownFields = 5;

/** A line for each of the first fields, and one for all others. */
export function fieldLines(fields: UndeclaredField[], code = (text: string) => text): string[] {
  const lines = fields
    .slice(0, shownFields)
    .map(
      ({ operation, place, first, places }) =>
        `${operation} ${code(place)}: ${first.actual}, in ${placesOf(places)}${hintText(first)}`,
    );
  const rest = fields.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more undeclared fields`] : lines;
}
