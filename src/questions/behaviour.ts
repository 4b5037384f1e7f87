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

/** Answers to open questions, and server errors that probes and fuzz requests caused, redacted. */
export interface Behaviour {
  observed: ProbeAnswer[];
  /** Error responses of each operation. */
  errorResponses?: ErrorResponses[];
  /** Findings of kind `server error`, on bad input, and `drift`, for answers that differ from the recorded ones. */
  findings: Finding[];
  notes: string[];
  /** Number of known answers to questions that have a recorded answer. */
  comparable?: number;
  /** Number of probes and fuzz requests whose response is neither transient nor about access only. */
  probed?: number;
  /** Reason why `PROBES=record` has recorded nothing. */
  unrecorded?: string;
}

/** Behaviour, and the observations of the probes and fuzz requests. */
export interface ObservedBehaviour {
  behaviour: Behaviour;
  probes: Observation[];
}

/**
 * Sends the probes and fuzz requests that `PROBES` asks for, and answers the open questions. With `PROBES=record`, also writes the
 * answers to `observed/<TARGET_NAME>.json`. No response makes it throw.
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
  const recording = target.record ? recordAnswers(context, answers, recorded) : { notes: [] };
  const behaviour = {
    observed,
    errorResponses: summarizeErrorResponses(evidence),
    findings: [...listServerErrors(context, evidence, fuzzed.smallest), ...findDrift(observed)],
    probed: probes.filter(isLasting).length,
    comparable: answers.filter((answer) => isComparable(answer, recorded)).length,
    ...recording,
    notes: [...fuzzed.notes, ...recording.notes],
  };
  return { behaviour, probes };
}

/** Returns the behaviour if no response was a success: every answer is unknown. */
const describeUnresponsive = ({ contract, target }: ProbeContext): Behaviour => ({
  observed: contract.questions.map((question) => ({
    ...describeQuestion(question),
    ...unknown('nothing was answered with a success'),
  })),
  ...{ findings: [], notes: [], probed: 0, comparable: 0 },
  ...(target.record ? { unrecorded: 'nothing: no response was a documented success' } : {}),
});

/** Estimates the number of requests that `PROBES` adds to a run: probes, two repeated lists, and fuzz requests. */
export const estimateProbes = (contract: Contract, target: Target): number =>
  (target.probes ? listProbes(contract, target).length + 2 : 0) + target.fuzzRequests;

/** Sends each probe whose request was not sent before, and then repeats the lists with which others are compared, to see changes. */
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

/** Reasons of a missing response that are the fault of the server, unlike those of a target that cannot be reached. */
const cutShort = /^no complete answer|connection was reset|not HTTP/;

/** Describes a server error, HTTP 5xx or a broken response: "server error 500"; undefined for any other response. */
function describeServerError({ content, blocked = '' }: Observation): string | undefined {
  if (content?.kind === 'server error') return content.error?.label;
  return cutShort.test(blocked) ? blocked : undefined;
}

/**
 * Lists a finding for each request with bad input that got a server error. Bad input are the probes, except those of questions
 * with `ordinary`, which any client may send, and fuzz requests.
 */
function listServerErrors(
  { contract, target }: ProbeContext,
  { probe }: Evidence,
  fuzzed: Observation[],
): Finding[] {
  const questions = target.probes ? contract.questions.filter(({ ordinary }) => !ordinary) : [];
  const observations = [...questions.flatMap(({ id }) => probe(id) ?? []), ...fuzzed];
  const findings = observations.flatMap((observation) => findServerError(observation) ?? []);
  return [...new Map(findings.map((finding) => [finding.exchange, finding])).values()];
}

/** Creates the finding of a server error; undefined for any other response. */
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
 * Sends as many fuzz requests as `PROBES` says, if it is a number. `smallest` are the smallest requests that showed a server error;
 * the note names the seed with which they can be sent again. @param earlier observations, whose requests are not sent again
 */
async function fuzzTarget(
  context: ProbeContext,
  earlier: Observation[],
): Promise<{ observations: Observation[]; smallest: Observation[]; notes: string[] }> {
  const { contract, target } = context;
  const { fuzzRequests: budget, fuzzSeed: seed = Date.now() % 2 ** 31 } = target;
  if (budget === 0) return { observations: [], smallest: [], notes: [] };
  // Imported here, because most runs need no fast-check, which takes time to load.
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

/** Writes the answers to `recordFile`. Returns a note with the name of the file, or the reason why it cannot be written. */
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
