import { counted, number } from '../../schemas/counted.ts';
import type { Observation } from '../redaction/observation.ts';
import { isStill, type SweepResult, type SweptShare } from '../sweep/results/result.ts';
import type { RequirementResult } from './evaluate.ts';
import { exercisedIn, foundIn, kindsOf } from './request-counts.ts';

/**
 * Results with what sweeps say of how many records break them.
 * @param resolved all observations, as `resolveRejections` leaves them: only so a rejection is that of an identifier
 */
export const withSwept = (
  results: RequirementResult[],
  sweeps: SweepResult[],
  resolved: Observation[],
): RequirementResult[] => {
  const ofFiles = resolved.filter(({ swept, configured, again }) => swept && configured && !again);
  return results.map((result) => {
    const own = sweeps.filter(({ operation }) => operation === result.operation);
    const share = own.map(({ shares }) => shares[result.address]).find((one) => one !== undefined);
    return share ? { ...result, swept: withRejected(share, result, ofFiles) } : result;
  });
};

/** Whether an identifier was rejected, and what for, is known only beside the others of its file. */
function withRejected(
  share: SweptShare,
  { kind, operation, address }: RequirementResult,
  ofFiles: Observation[],
) {
  const own = ofFiles.filter((one) => one.operation === operation);
  if (own.length === 0 || (kind !== 'status' && kind !== 'parameter')) return share;
  const judged = own.reduce((sum, one) => sum + exercisedIn(one, address), 0);
  const broken = own.reduce((sum, one) => sum + violationsIn(one, address), 0);
  return { ...share, judged, broken };
}

const violationsIn = (observation: Observation, address: string) =>
  Object.entries(foundIn(observation)[address] ?? {})
    .filter(([kinds]) => kindsOf(kinds).includes('violation'))
    .reduce((sum, [, count]) => sum + count, 0);

/** "0.0023 %": two digits that say something. */
export const percentage = (share: number): string =>
  `${Number((100 * share).toPrecision(2)).toLocaleString('en', { maximumSignificantDigits: 2 })} %`;

/** A bound, never less than it is: "0.19 %" for 0.00183. */
export function percentageAbove(share: number): string {
  const nearest = Number((100 * share).toPrecision(2));
  const step = 10 ** (Math.floor(Math.log10(nearest)) - 1);
  // 100 * 0.028 is 2.8000000000000003.
  return percentage(nearest < 100 * share * (1 - 1e-12) ? (nearest + step) / 100 : share);
}

/** "23 of 1,000,000 customers (0.0023 %), first at number 10,007 of the list; all with token_type = CreditCard". */
export function sweptText({
  judged,
  broken,
  records,
  first = [],
  common = [],
  upperBound,
}: SweptShare): string {
  const places = first.length > 0 ? `, first at number ${first.map(number).join(', ')} of the list` : '';
  const alike = common.length > 0 ? `; what they have in common: ${common.join(', ')}` : '';
  const bound =
    upperBound === undefined
      ? ''
      : `; with 95 % confidence at most ${percentageAbove(upperBound)} of all ${records}`;
  const share = broken > 0 ? ` (${percentage(broken / Math.max(1, judged))})` : '';
  return `${broken > 0 ? number(broken) : 'none'} of ${number(judged)} ${records}${share}${places}${bound}${alike}`;
}

/** What a sweep keeps for its verdict, and reports leave out. */
const unreported = [
  'broken',
  'states',
  'exercised',
  'shares',
  'pointer',
  'journal',
  'drawnPages',
  'betweenRecords',
  'withoutOverlap',
  'endsAtPage',
  'listed',
] as const satisfies (keyof SweepResult)[];

type Unreported = (typeof unreported)[number];

/** What a sweep has looked at, as reports have it. */
export type SweepSummary = Omit<SweepResult, Unreported>;

/** A sweep without its numbers for each requirement. */
export function summaryOfSweep(sweep: SweepResult): SweepSummary {
  const summary: SweepSummary & Partial<Pick<SweepResult, Unreported>> = { ...sweep };
  for (const key of unreported) delete summary[key];
  return summary;
}

/** Whether a sweep could judge every record that it was to judge. */
export const isComplete = ({ blocked, stopped }: Pick<SweepSummary, 'blocked' | 'stopped'>): boolean =>
  blocked.length === 0 && stopped === undefined;

/** What a sweep has looked at, in sentences. */
export function sweepSentences(sweep: SweepSummary): string[] {
  const { noun, mode, moved } = sweep;
  return [
    extentSentence(sweep),
    ...(!isStill(moved)
      ? [
          `the list of ${noun} moved while it was read, so that some may not have been seen: it listed ${counted(moved.repeated, 'record')} again, and ${counted(moved.gaps, 'page')} began with another record than expected`,
        ]
      : []),
    ...(sweep.unconfirmed
      ? [
          `${counted(sweep.unconfirmed, 'record')} of the list had the identifier of another one, which was not confirmed when requested again: not counted as broken`,
        ]
      : []),
    ...(sweep.population === undefined && sweep.pages > 1 && isStill(moved) && isAllSeen(sweep)
      ? [`the pages share no ${noun}, so that a removal between two of them would not have been seen`]
      : []),
    ...(sweep.endsAtFullPage && (mode === 'sample' ? isComplete(sweep) : isAllSeen(sweep))
      ? [
          `the last page of ${noun} is full: that the list ends there follows only from pages behind it that show nothing, and not each place behind it was looked at`,
        ]
      : []),
    ...blockedSentences(sweep),
    ...(mode === 'sample' && !isComplete(sweep)
      ? [`no bound is stated for all ${noun}: ${isOpen(sweep) ? lacksUndrawn : lacksDrawn}`]
      : []),
  ];
}

const lacksDrawn = 'the sample lacks some of those that were drawn';
const lacksUndrawn = 'some of them could not be drawn';

/** Whether nothing is known of what is behind a place. */
const isOpen = ({ blocked }: SweepSummary) => blocked.some(({ to }) => to === undefined);

/** How many ranges are named: of a sample each may be one of many. */
const maxRanges = 20;

function blockedSentences({ noun, blocked }: SweepSummary): string[] {
  const named = blocked.slice(0, maxRanges).map(({ from, to, reason }) => {
    const end = to === undefined ? 'the end' : number(to);
    return `not looked at: ${noun} ${number(from)} to ${end} of the list: ${reason}`;
  });
  const more = blocked.length - named.length;
  return more > 0
    ? [...named, `not looked at: ${counted(more, 'range')} more, all in conformance.json`]
    : named;
}

/** Whether a sweep has judged all that a list has shown, to its end. */
const isAllSeen = (sweep: SweepSummary) =>
  sweep.mode === 'all' && sweep.lookedUp !== undefined && sweep.part === undefined && isComplete(sweep);

/** " of 2,000", or " of at least 2,000"; empty where not even that is known. */
function populationText(sweep: SweepSummary): string {
  const { population, judged, places = 0, stopped, part } = sweep;
  if (population !== undefined) return ` of ${number(population)}`;
  const isMore = places > judged && stopped === undefined && part === undefined;
  return isMore || isAllSeen(sweep) ? ` of at least ${number(Math.max(judged, places))}` : '';
}

function extentSentence(sweep: SweepSummary): string {
  const { noun, mode, judged, lookedUp, pages, seed, part } = sweep;
  const of = populationText(sweep);
  const singly = lookedUp === undefined ? '' : `, ${number(lookedUp)} of them looked up`;
  const share = `${singly}${part ? `, part ${part.current} of ${part.total}` : ''}`;
  // Each line of a file is a request of its own.
  if (lookedUp === undefined) return `${number(judged)} of ${number(pages)} ${noun} were judged${share}`;
  if (mode === 'sample')
    return `${number(judged)}${of} ${noun}, drawn at random (SWEEP_SEED=${seed}), were judged${share}`;
  return `${number(judged)}${of} ${noun} were judged, on ${counted(pages, 'page')}${share}`;
}
