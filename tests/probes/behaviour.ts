import type { Contract } from '../../schemas/contract/contract.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { curlOf } from '../client/curl.ts';
import { shownToCaller } from '../configuration/caller-folder.ts';
import type { Target } from '../configuration/target.ts';
import type { Finding } from '../redaction/observation.ts';
import { writeFailure } from '../run/whole-file.ts';
import { askAgain, askProbes } from './ask-probes.ts';
import { isMomentary } from './decisive.ts';
import { compared, driftIn, isComparable, type RecordedAnswers, writeRecorded } from './drift.ts';
import { type Evidence, evidenceOf, type ProbeContext } from './evidence.ts';
import type { OperationQuestions } from './operation-questions.ts';
import { answerAll, type ProbeAnswer } from './probe-answers.ts';
import { hasCredentials, type Probe, probesFor } from './probes.ts';
import type { RecordedExchange, RecordingClient } from './recorded-exchange.ts';
import { serverErrorOf } from './server-errors.ts';

/** What a target does where the contract leaves it free, redacted. */
export interface Behaviour {
  observed: ProbeAnswer[];
  /** Server errors on bad input, and changes since the answers were recorded. */
  findings: Finding[];
  notes: string[];
  /** How many of today's answers have one on record that they can be compared with. */
  comparable?: number;
  /** How many requests with bad input, or that probe something else, got a response that says something lasting. */
  probed?: number;
  /** Why nothing was recorded, where `RECORD` is set. */
  unrecorded?: string;
}

/** Asks what the contract leaves open, once everything else was asked. Never throws for what a target does. */
export async function observeBehaviour(
  target: Target,
  client: RecordingClient,
  recorded: RecordedAnswers,
): Promise<Behaviour> {
  const probes = probesFor(client.contract, target, client.questions);
  const targetResponds = hasAnswered(client);
  const ordinary = client.recorded.size;
  const gather = () => evidenceOf(client.recorded, probes, contextOf(target, client, targetResponds));
  if (target.probes && targetResponds) {
    await askProbes(client, probes);
    await askAgain(client, gather());
  }
  const evidence = gather();
  const seed = target.fuzzSeed ?? Date.now() % 2 ** 31;
  const fuzzed = targetResponds ? await fuzzedErrors(target, client, seed) : [];
  // Not before everything was asked: what may be shown depends on every answer.
  const { questions } = client.contract;
  const observed = answersTo(questions, client, evidence);
  const errors = [...failed(evidence, probes, target), ...fuzzed].map(client.disclosure.settleFinding);
  // What a target answers that answers nothing else is no behaviour of it.
  const known = target.record || !targetResponds ? observed : compared(observed, recorded, questions);
  const { notes, ...recording } = target.record
    ? recordIn(target, client, targetResponds, observed, recorded)
    : { notes: [] };
  return {
    observed: known,
    findings: [...unique(errors), ...driftIn(known)],
    notes: [...fuzzNotes(target, seed), ...notes],
    probed: [...client.recorded.values()].slice(ordinary).filter(saysSomething).length,
    comparable: observed.filter((one) => isComparable(one, recorded)).length,
    ...recording,
  };
}

/** A target that answers nothing at all is left alone. */
const hasAnswered = ({ recorded }: RecordingClient): boolean =>
  [...recorded.values()].some(({ operation, outcome }) => operation && outcome.kind === 'answered');

const saysNothingLasting = (recorded: RecordedExchange) =>
  isMomentary(recorded) || recorded.outcome.accessDenied === true;

const saysSomething = (recorded: RecordedExchange) =>
  recorded.status !== undefined && !saysNothingLasting(recorded);

function answersTo(questions: Question[], client: RecordingClient, evidence: Evidence): ProbeAnswer[] {
  const problem = nothingAnswered(client);
  return problem ? unanswered(questions, problem) : answerAll(questions, evidence, client.questions);
}

/** Why no question is answered: a login page, or another API, says nothing of this one. */
function nothingAnswered({ recorded }: RecordingClient): string | undefined {
  const responses = [...recorded.values()].filter(({ status }) => status !== undefined);
  if (responses.length === 0) return 'no request got a response';
  const ofOperations = responses.filter(({ operation }) => operation);
  if (ofOperations.every(saysNothingLasting)) {
    const isDenied = ofOperations.some(({ outcome }) => outcome.accessDenied);
    if (isDenied) return 'every request was rejected for access';
    if (ofOperations.some(isMomentary)) return 'every response is one of a bad moment';
  }
  return ofOperations.every(({ lacksEnvelope }) => lacksEnvelope)
    ? 'no response looks like the API'
    : undefined;
}

const unanswered = (questions: Question[], problem: string): ProbeAnswer[] =>
  questions.map(({ id, section, question, asked }) => {
    return { id, section, question, asked, answer: 'unknown', confidence: 'unknown', evidence: [problem] };
  });

/** The most requests that this takes. */
export const maxProbes = (contract: Contract, target: Target, questions: OperationQuestions[]) =>
  (target.probes ? probesFor(contract, target, questions).length + maxSecondPass(questions) : 0) +
  target.fuzzRequests;

const maxSecondPass = (questions: OperationQuestions[]) =>
  questions.reduce((sum, { maxSecondPass = 0 }) => sum + maxSecondPass, 0);

function contextOf(
  target: Target,
  { disclosure, contract }: RecordingClient,
  targetResponds: boolean,
): ProbeContext {
  const notAskedReason = !target.probes
    ? 'not asked: PROBES is off'
    : targetResponds
      ? 'not asked: other requests before it got no answer'
      : 'not asked: nothing else was answered with a success';
  return { credentials: hasCredentials(target), notAskedReason, disclosure, contract };
}

/** Server errors in answer to bad input: those of any other request are no matter of its gate. */
function failed(evidence: Evidence, probes: Probe[], target: Target): Finding[] {
  const bad = probes.filter(({ ordinary }) => !ordinary);
  return bad.flatMap(({ id }) => found(evidence.probe(id), target));
}

const found = (recorded: RecordedExchange | undefined, target: Target) =>
  (recorded && serverErrorOf(recorded, curlOf(target))) ?? [];

async function fuzzedErrors(target: Target, client: RecordingClient, seed: number): Promise<Finding[]> {
  if (target.fuzzRequests === 0) return [];
  // Loaded here, since most runs do without fast-check.
  const { fuzz } = await import('./fuzz.ts');
  const smallest = await fuzz(client, target.fuzzRequests, seed);
  return smallest.flatMap((recorded) => found(recorded, target));
}

const unique = (findings: Finding[]) => [
  ...new Map(findings.map((finding) => [finding.exchange, finding])).values(),
];

const fuzzNotes = ({ fuzzRequests }: Target, seed: number) =>
  fuzzRequests > 0 ? [`fuzzed with FUZZ_REQUESTS=${fuzzRequests} FUZZ_SEED=${seed}`] : [];

/** Records the answers: says where in a note, or else why not. */
function recordIn(
  target: Target,
  { disclosure }: RecordingClient,
  targetResponds: boolean,
  observed: ProbeAnswer[],
  recorded: RecordedAnswers,
): Pick<Behaviour, 'notes' | 'unrecorded'> {
  const file = disclosure.mask(shownToCaller(target.recordFile));
  if (!targetResponds) return { notes: [], unrecorded: 'nothing: no response was a documented success' };
  try {
    writeRecorded(target.recordFile, observed, recorded);
    return { notes: [`recorded the observed behaviour in ${file}`] };
  } catch (error) {
    return { notes: [], unrecorded: `nothing: ${file} cannot be written (${writeFailure(error)})` };
  }
}
