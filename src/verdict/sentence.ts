import { counted, number } from '../../schemas/counted.ts';
import type { Shard } from '../client/target.ts';
import { percentageAbove } from '../sweep/summary.ts';
import type { RequirementResult } from './evaluate.ts';
import { gateSentence } from './gates.ts';
import type { RunConclusion } from './verdict.ts';
import { hasJudged, type RunVerdict, type Verdict } from './verdicts.ts';

/** What the verdict of a run is said by. */
export interface Sentenced extends Pick<RunConclusion, 'verdict' | 'gates' | 'selection' | 'notes'> {
  mock?: boolean | undefined;
  /** Set where recorded traffic was judged. */
  traffic?: unknown;
  requirements: Pick<RequirementResult, 'address' | 'verdict' | 'reason' | 'cause'>[];
  shard?: Shard | undefined;
}

/** The verdict of a run in one sentence, worded alike everywhere. */
export function verdictSentence(run: Sentenced): string {
  const part = partOfContract(run);
  const word = `${run.verdict.toUpperCase()}${originMark(run)}${part ? ` of ${part}` : ''}`;
  return `${word}: ${sentences[run.verdict](run)}`;
}

/** Says of a verdict that it is one on the embedded mock, or on recorded traffic, and not on a provider that was asked. */
export const originMark = ({ mock, traffic }: Pick<Sentenced, 'mock' | 'traffic'>): string =>
  traffic ? ' (RECORDED TRAFFIC)' : mock ? ' (MOCK)' : '';

/** Which part of the contract a verdict is on: "shard 1 of 4"; undefined of a whole run. */
export const partOfContract = ({ selection, shard }: Pick<Sentenced, 'selection' | 'shard'>) =>
  shard
    ? `shard ${shard.current} of ${shard.total}`
    : selection && `${counted(selection.selected, 'selected requirement')} of ${selection.total}`;

const sentences: Record<RunVerdict, (run: Sentenced) => string> = {
  pass: (run) =>
    run.selection?.selected === 0 ? 'no requirement was selected, so none was judged' : passText(run),
  fail: (run) => violations(run) ?? `no requirement is violated, but ${failedGates(run)}`,
  error: (run) => `${unjudged(run)}${problemOf(run).replace(/\s+/g, ' ')}`,
};

/** A pass says of how much it is one: what was not exercised may not be kept, and what is tolerated is not. */
function passText({ shard, selection, requirements }: Sentenced): string {
  const count = (is: Verdict) => requirements.filter(({ verdict }) => verdict === is).length;
  const [all, deviating] = [requirements.length, count('deviation')];
  const exercised = all - count('not exercised');
  const isWhole = !shard && !selection && exercised === all;
  return [
    isWhole ? 'the target keeps the contract' : 'nothing is violated',
    deviating > 0 ? `, except for ${counted(deviating, 'deviation')} that the ledger tolerates` : '',
    exercised === all
      ? ', as far as it was exercised'
      : `; ${number(exercised)} of ${counted(all, 'requirement')} exercised`,
  ].join('');
}

function violations({ requirements }: Sentenced): string | undefined {
  const violated = requirements.filter(({ verdict }) => verdict === 'violation');
  const [first, ...others] = violated;
  if (!first) return undefined;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const cause = violated.every((one) => one.cause === first.cause) ? first.cause : undefined;
  const what = cause ? causes[cause] : 'the target does not keep the contract';
  return `${what}: violation of ${first.address}${more}`;
}

const causes: Record<NonNullable<RequirementResult['cause']>, string> = {
  'undeclared fields': 'the target has fields that the contract does not name (FAIL_ON=undeclared)',
  'configured identifiers': 'the target rejects configured identifiers, which may be unknown there',
};

/** One gate in full; of several their addresses, since the reports have the rest. */
function failedGates({ gates }: Sentenced): string {
  const failed = gates.filter(({ verdict }) => verdict === 'fail');
  return failed.length > 1
    ? `${failed.length} gates failed: ${failed.map(({ address }) => address).join(', ')}`
    : failed.map(gateSentence).join();
}

/** How much of the target nothing can be said of, where it is a part; else the problem says all. */
function unjudged({ requirements }: Sentenced): string {
  const count = requirements.filter(({ verdict }) => verdict === 'blocked').length;
  return count > 0 && hasJudged(requirements)
    ? `${count} of ${requirements.length} requirements cannot be judged: `
    : '';
}

/** What prevented a verdict: a problem of the run, or else the first requirement that says why. */
function problemOf(run: Sentenced): string {
  const { requirements, gates, notes } = run;
  const reason = (verdict: Verdict) => requirements.find((one) => one.verdict === verdict)?.reason;
  const gate = gates.find(({ verdict }) => verdict === 'error');
  return (
    reason('error') ?? reason('blocked') ?? gate?.reason ?? notes[0] ?? gate?.actual ?? 'nothing was judged'
  );
}

/** Of a sample: how many of all records can break a requirement that it shows to be kept. Empty where none was drawn. */
export function boundText(requirements: Pick<RequirementResult, 'verdict' | 'swept'>[]): string {
  const kept = requirements.flatMap(({ verdict, swept }) => (verdict === 'pass' && swept ? swept : []));
  const [most] = kept.sort((one, other) => (other.upperBound ?? -1) - (one.upperBound ?? -1));
  return most?.upperBound === undefined
    ? ''
    : `sample: at most ${percentageAbove(most.upperBound)} of ${most.records} can break what it shows to be kept (95 %)`;
}
