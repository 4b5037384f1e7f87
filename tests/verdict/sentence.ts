import { type GateResult, gateSentence } from './gates.ts';
import type { Selection } from './verdict.ts';
import type { RunVerdict, Verdict } from './verdicts.ts';

/** What the verdict of a run is said by; a report of version 1 knows neither gates nor selection. */
export interface Sentenced {
  verdict: RunVerdict;
  mock?: boolean | undefined;
  /** Set where recorded traffic was judged. */
  traffic?: unknown;
  requirements: { address: string; verdict: Verdict; reason?: string }[];
  gates?: GateResult[];
  selection?: Selection;
  notes: string[];
}

/** The verdict of a run in one sentence, worded alike everywhere. */
export const verdictSentence = (run: Sentenced): string =>
  `${run.verdict.toUpperCase()}${originMark(run)}${selectionText(run.selection)}: ${sentences[run.verdict](run)}`;

/** Says of a verdict that it is one on the embedded mock, or on recorded traffic, and not on a provider that was asked. */
export const originMark = ({ mock, traffic }: Pick<Sentenced, 'mock' | 'traffic'>): string =>
  traffic ? ' (RECORDED TRAFFIC)' : mock ? ' (MOCK)' : '';

/** Says of a verdict that it is one on a part of the contract. */
export const selectionText = (selection: Selection | undefined): string =>
  selection
    ? ` of ${selection.selected} selected ${selection.selected === 1 ? 'requirement' : 'requirements'} of ${selection.total}`
    : '';

const sentences: Record<RunVerdict, (run: Sentenced) => string> = {
  pass: (run) =>
    run.selection
      ? `nothing that was selected is violated${deviations(run)}, as far as it was exercised`
      : `the target keeps the contract${deviations(run)}, as far as it was exercised`,
  fail: (run) => violations(run) ?? `no requirement is violated, but ${failedGate(run, 'fail')}`,
  error: (run) => `nothing sure can be said of the target: ${problemOf(run).replace(/\s+/g, ' ')}`,
};

/** What is tolerated is not kept. */
function deviations({ requirements }: Sentenced): string {
  const count = requirements.filter(({ verdict }) => verdict === 'deviation').length;
  return count === 0
    ? ''
    : `, except for ${count === 1 ? '1 deviation' : `${count} deviations`} that the ledger tolerates`;
}

function violations({ requirements }: Sentenced): string | undefined {
  const [first, ...others] = requirements.filter(({ verdict }) => verdict === 'violation');
  if (!first) return undefined;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `the target does not keep the contract: violation of ${first.address}${more}`;
}

const failedGate = ({ gates = [] }: Sentenced, verdict: RunVerdict) =>
  gates
    .filter((gate) => gate.verdict === verdict)
    .map(gateSentence)
    .join(' ') || 'a gate of the run failed';

/** What prevented a verdict: a problem of the run, or else the first requirement that says why. */
function problemOf(run: Sentenced): string {
  const { requirements, gates = [], notes } = run;
  const reason = (verdict: Verdict) => requirements.find((one) => one.verdict === verdict)?.reason;
  const gate = gates.find(({ verdict }) => verdict === 'error')?.actual;
  return (
    reason('error') ??
    reason('blocked') ??
    (gate === 'none' ? undefined : gate) ??
    notes[0] ??
    'nothing was judged'
  );
}
