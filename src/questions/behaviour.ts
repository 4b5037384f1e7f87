import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { pickDefined } from '../../schemas/json.ts';
import { describeWriteFailure } from '../client/files.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { atPlace } from '../redact/curl.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { answerAll, describeQuestion, type ProbeAnswer } from './answers.ts';
import { addChanged, findDrift, isComparable, type RecordedAnswers, writeRecorded } from './drift.ts';
import { type ErrorResponses, summarizeErrorResponses } from './error-responses.ts';
import { collectEvidence, type Evidence, isLasting, isSent, isSuccess, unknown } from './evidence.ts';
import { listRepeatedRequests } from './listCustomers.ts';
import {
  createPathProbe,
  createProbe,
  listProbes,
  type Probe,
  type ProbeContext,
  sendProbe,
} from './probes.ts';

/** What a run has learned of a target beyond the contract: answers to open questions, and server errors. Redacted. */
export interface Behaviour {
  /** Answers of a run to all open questions of `spec/questions.yaml`, known or `unknown`. */
  observed: ProbeAnswer[];
  /** Forms of the error responses of each operation, which the contract leaves open (section 7). */
  errorResponses?: ErrorResponses[];
  /**
   * Findings of the kinds `server error`, for requests with bad input, and `drift`, for answers that differ from the recorded ones.
   */
  findings: Finding[];
  /** Sentences about probes for the notes of a run, such as "fuzzed with PROBES=200:42". */
  notes: string[];
  /** Number of open questions that have a known answer in this run and a recorded one, so that drift can be seen. */
  comparable?: number;
  /**
   * Number of probes and fuzz requests whose response says something about their input: no temporary error, no wrong credentials.
   */
  probed?: number;
  /** Reason why `PROBES=record` has recorded nothing, in a sentence; undefined if the answers were recorded. */
  unrecorded?: string;
}

/** Behaviour of a target, and the observations of the probes and fuzz requests that led to it. */
export interface ObservedBehaviour {
  behaviour: Behaviour;
  probes: Observation[];
}

/**
 * Sends the probes and fuzz requests that `PROBES` asks for, and answers the open questions from all responses. With
 * `PROBES=record`, also writes the answers to `observed/<TARGET_NAME>.json`. If no ordinary request succeeded, sends nothing. Never
 * throws for a response.
 * @param ordinary observations of all other requests of the run, each with its `content`, in the order sent
 * @param recorded answers that an earlier run has recorded
 */
export async function observeBehaviour(
  context: ProbeContext,
  ordinary: Observation[],
  recorded: RecordedAnswers,
): Promise<ObservedBehaviour> {
  const { contract, target } = context;
  // Without any success, the target may be a login page or another API, whose answers would mean nothing.
  if (!ordinary.some(isSuccess)) return { behaviour: describeUnresponsive(context), probes: [] };
  const probed = await sendProbes(context, ordinary);
  const fuzzed = await fuzzTarget(context, [...ordinary, ...probed]);
  const evidence = collectEvidence(context, [...ordinary, ...probed]);
  const answers = answerAll(contract.questions, evidence);
  const observed = target.record ? answers : addChanged(answers, recorded, contract.questions);
  const probes = [...probed, ...fuzzed.observations];
  const recordingResult = target.record ? recordAnswers(context, answers, recorded) : { notes: [] };
  const behaviour = {
    observed,
    errorResponses: summarizeErrorResponses(evidence),
    findings: [...listServerErrors(context, evidence, fuzzed.smallest), ...findDrift(observed)],
    probed: probes.filter(isLasting).length,
    comparable: answers.filter((answer) => isComparable(answer, recorded)).length,
    ...recordingResult,
    notes: [...fuzzed.notes, ...recordingResult.notes],
  };
  return { behaviour, probes };
}

/** Returns the behaviour of a target that answered no request with a success: every answer is `unknown`. */
const describeUnresponsive = ({ contract, target }: ProbeContext): Behaviour => ({
  observed: contract.questions.map((question) => ({
    ...describeQuestion(question),
    ...unknown('no request succeeded'),
  })),
  ...{ findings: [], notes: [], probed: 0, comparable: 0 },
  ...(target.record ? { unrecorded: 'nothing: no response was a documented success' } : {}),
});

/** Estimates the number of requests that `PROBES` adds to a run: probes, two repeated requests for lists, and fuzz requests. */
export const estimateProbes = (contract: Contract, target: Target): number =>
  (target.probes ? listProbes(contract, target).length + 2 : 0) + target.fuzzRequests;

/**
 * Sends the probes of all open questions, except those that equal a request of the run. Then repeats the requests for the lists
 * with which others are compared, to see whether the list has changed meanwhile. Sends nothing if `PROBES` is off.
 * @param ordinary observations of the requests of the run before the probes
 */
async function sendProbes(context: ProbeContext, ordinary: Observation[]): Promise<Observation[]> {
  const { contract, target } = context;
  if (!target.probes) return [];
  const breaker = new CircuitBreaker();
  const send = (probe: Probe) => sendProbe(context, probe, breaker);
  const sentLines = new Set(ordinary.filter(isSent).map(({ exchange }) => exchange));
  const probes = listProbes(contract, target).filter(({ request }) => !sentLines.has(request.exchange));
  const observations = await Promise.all(probes.map(send));
  const evidence = collectEvidence(context, [...ordinary, ...observations]);
  for (const list of listRepeatedRequests(evidence))
    observations.push(await send(createProbe(context, list, { again: true })));
  return observations.filter(isSent);
}

/**
 * Matches a reason (`blocked`) of a missing response that is the fault of the server: it began to answer, or closed the connection.
 * Does not match a target that cannot be reached.
 */
const cutShort = /^no complete response|connection was reset|not HTTP/;

/**
 * Describes a server error: "server error 500" for HTTP 5xx, or the reason why a response is cut off. Undefined for any other
 * response, and for a target that cannot be reached.
 */
function describeServerError({ content, blocked = '' }: Observation): string | undefined {
  if (content?.kind === 'server error') return content.error?.label;
  return cutShort.test(blocked) ? blocked : undefined;
}

/**
 * Lists a finding for each request line with bad input that got a server error or a cut-off response. Bad input: the requests in
 * `fuzzed`, and the probes of all questions that are not marked `ordinary`. Any client may send the request of an ordinary question.
 * @param fuzzed smallest fuzz request of each operation that caused a server error
 */
function listServerErrors(
  { contract, target }: ProbeContext,
  { probe }: Evidence,
  fuzzed: Observation[],
): Finding[] {
  const questions = target.probes ? contract.questions.filter(({ ordinary }) => !ordinary) : [];
  const observations = [...questions.flatMap(({ id }) => probe(id) ?? []), ...fuzzed];
  const findings = observations.flatMap((observation) => findServerError(observation) ?? []);
  const findingsByRequestLine = new Map(findings.map((finding) => [finding.exchange, finding]));
  return [...findingsByRequestLine.values()];
}

/**
 * Creates a finding of kind `server error` if a response is a server error (`describeServerError`); undefined for any other
 * response.
 */
function findServerError(observation: Observation): Finding | undefined {
  const actual = describeServerError(observation);
  if (!actual) return undefined;
  const { repeat } = observation;
  return {
    ...{ kind: 'server error', requirement: '', pointer: 'http', expected: 'an error response or a success' },
    ...pickDefined(observation, ['operation', 'exchange', 'id']),
    actual,
    ...(repeat ? { repeat: atPlace(repeat, 'http') } : {}),
  };
}

/**
 * Sends as many random (fuzz) requests as `PROBES` says, if it is a number. Returns their observations, the smallest request of
 * each operation that got a server error, and a note with the seed, by which they can be sent again.
 * @param earlier observations of earlier requests, which are not sent again
 */
async function fuzzTarget(
  context: ProbeContext,
  earlier: Observation[],
): Promise<{ observations: Observation[]; smallest: Observation[]; notes: string[] }> {
  const { contract, target } = context;
  const { fuzzRequests: budget, fuzzSeed: seed = Date.now() % 2 ** 31 } = target;
  if (budget === 0) return { observations: [], smallest: [], notes: [] };
  // Imported only here, because fast-check takes time to load, and most runs do not need it.
  const { fuzz } = await import('./fuzz.ts');
  const breaker = new CircuitBreaker();
  const byLine = new Map(earlier.filter(isSent).map((observation) => [observation.exchange, observation]));
  const results = await fuzz({
    ...{ operations: contract.operations, budget, seed },
    send: (operation, path) => sendProbe(context, createPathProbe(target, operation, path), breaker),
    findSent: (path) => byLine.get(`GET ${path}`),
    isError: (observation) => describeServerError(observation) !== undefined,
  });
  return { ...results, notes: [`fuzzed with PROBES=${budget}:${seed}`] };
}

/**
 * Writes the answers to open questions to `recordFile`. Returns a note with the name of the file, or in `unrecorded` the reason why
 * it cannot be written.
 * @param earlier recorded answers, which replace answers that are unknown today
 */
function recordAnswers(
  { target: { recordFile }, secrets: { mask } }: ProbeContext,
  answers: ProbeAnswer[],
  earlier: RecordedAnswers,
): Pick<Behaviour, 'notes' | 'unrecorded'> {
  const relative = path.relative('', recordFile);
  const file = mask(relative.startsWith('..') ? recordFile : relative);
  try {
    writeRecorded(recordFile, answers, earlier);
    return { notes: [`recorded the observed behaviour in ${file}`] };
  } catch (error) {
    return { notes: [], unrecorded: `nothing: ${file} cannot be written (${describeWriteFailure(error)})` };
  }
}
