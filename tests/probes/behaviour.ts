import path from 'node:path';
import { loadQuestions } from '../../schemas/questions.ts';
import type { Finding } from '../client/observation.ts';
import type { Target } from '../client/target.ts';
import { askProbes } from './ask.ts';
import { compared, driftIn, type Recorded, writeRecorded } from './drift.ts';
import { type Circumstances, type Evidence, evidenceOf } from './evidence.ts';
import type { Heard, ListeningDoor } from './heard.ts';
import { answerAll, type Observed } from './observed.ts';
import { hasCredentials, type Probe, probesFor } from './requests.ts';
import { serverErrorOf } from './server-errors.ts';

/** What a target does where the contract leaves it free, redacted. */
export interface Behaviour {
  observed: Observed[];
  /** Server errors on bad input, and changes since the answers were recorded. */
  findings: Finding[];
  notes: string[];
}

/** Asks what the contract leaves open, once everything else was asked. Never throws for what a target does. */
export async function observeBehaviour(
  target: Target,
  door: ListeningDoor,
  recorded: Recorded,
): Promise<Behaviour> {
  const probes = probesFor(target);
  // A target that answers nothing at all is left alone.
  const awake = [...door.heard.values()].some(
    ({ operation, outcome }) => operation && outcome.kind === 'answered',
  );
  if (target.probes && awake) await askProbes(door, probes);
  const evidence = evidenceOf(door.heard, probes, circumstancesOf(target, door, awake));
  const seed = target.fuzzSeed ?? Date.now() % 2 ** 31;
  const fuzzed = awake ? await fuzzedErrors(target, door, seed) : [];
  // Not before everything was asked: what may be shown depends on every answer.
  const questions = loadQuestions();
  const observed = answerAll(questions, evidence);
  const errors = [...failed(evidence, probes), ...fuzzed].map(door.disclosure.settleFinding);
  // What a target answers that answers nothing else is no behaviour of it.
  const known = target.record || !awake ? observed : compared(observed, recorded, questions);
  const notes = [...fuzzNotes(target, seed), ...recordNotes(target, door, awake, observed, recorded)];
  return { observed: known, findings: [...unique(errors), ...driftIn(known)], notes };
}

/** The most requests that this takes. */
export const mostProbes = (target: Target) =>
  (target.probes ? probesFor(target).length : 0) + target.fuzzRequests;

function circumstancesOf(target: Target, { disclosure }: ListeningDoor, awake: boolean): Circumstances {
  const gap = !target.probes
    ? 'not asked: PROBES is off'
    : awake
      ? 'not asked: other requests before it got no answer'
      : 'not asked: nothing else was answered with a success';
  return { credentials: hasCredentials(target), gap, disclosure };
}

/** Server errors in answer to probes: to ordinary requests they are judged already. */
function failed(evidence: Evidence, probes: Probe[]): Finding[] {
  return probes.flatMap(({ id }) => found(evidence.probe(id)));
}

const found = (heard: Heard | undefined) => (heard && serverErrorOf(heard)) ?? [];

async function fuzzedErrors(target: Target, door: ListeningDoor, seed: number): Promise<Finding[]> {
  if (target.fuzzRequests === 0) return [];
  // Loaded here, since most runs do without fast-check.
  const { fuzz } = await import('./fuzz.ts');
  return (await fuzz(door, target.fuzzRequests, seed)).flatMap(found);
}

const unique = (findings: Finding[]) => [
  ...new Map(findings.map((finding) => [finding.exchange, finding])).values(),
];

const fuzzNotes = ({ fuzzRequests }: Target, seed: number) =>
  fuzzRequests > 0 ? [`fuzzed with FUZZ_REQUESTS=${fuzzRequests} FUZZ_SEED=${seed}`] : [];

/** Records the answers where that was asked for, and says what became of it. */
function recordNotes(
  target: Target,
  { disclosure }: ListeningDoor,
  awake: boolean,
  observed: Observed[],
  recorded: Recorded,
): string[] {
  const file = disclosure.mask(path.relative(process.cwd(), target.recordFile));
  const nothing = Object.keys(recorded).length === 0;
  if (!target.record)
    return target.failOnDrift && nothing ? [`nothing to compare with in ${file}: RECORD=1 records it`] : [];
  if (!awake) return ['nothing was recorded: no request was answered with a success'];
  try {
    writeRecorded(target.recordFile, observed, recorded);
    return [`recorded the observed behaviour in ${file}`];
  } catch {
    return [`nothing was recorded: RECORD_FILE (${file}) cannot be written`];
  }
}
