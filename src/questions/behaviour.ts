import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { pickDefined } from '../../schemas/json.ts';
import { describeWriteFailure } from '../client/files.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { adaptCurlOutput } from '../redact/curl.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { describeQuestion, inferAnswers, type ProbeAnswer } from './answers.ts';
import { findDrift, isComparable, markChangedAnswers, type RecordedAnswers, writeRecorded } from './drift.ts';
import { type ErrorResponses, summarizeErrorResponses } from './error-responses.ts';
import {
  collectEvidence,
  createUnknownAnswer,
  describeServerError,
  type Evidence,
  isConclusive,
  isSent,
  isSuccess,
} from './evidence.ts';
import { listRequestsToRepeat } from './listCustomers.ts';
import { createProbe, listProbes, type Probe, type ProbeContext, sendProbe } from './probes.ts';

/** Behaviour of a target where the contract prescribes nothing: answers to open questions, error responses. No private data. */
export interface Behaviour {
  observed: ProbeAnswer[];
  errorResponses?: ErrorResponses[];
  findings: Finding[];
  notes: string[];
  /** Number of answers that could be compared with a recorded answer. If 0, no change of behaviour (drift) can be noticed. */
  comparable?: number;
  /** Number of probes and fuzz requests with a readable response that is no temporary error and no rejection of credentials. */
  probed?: number;
  /** Reason why a run with `PROBES=record` did not store the answers: "nothing: observed/mock.json cannot be written (ENOSPC)". */
  unrecorded?: string;
}

/**
 * Sends the probes and fuzz requests that `PROBES` asks for. Infers the answers to open questions from the responses to ordinary
 * requests and probes. Sends nothing if no ordinary request succeeded, because the target may then be another API.
 * @param ordinary observations of the requests that are neither probes nor fuzz requests, in the order sent
 */
export async function observeBehaviour(
  context: ProbeContext,
  ordinary: Observation[],
  recordedAnswers: RecordedAnswers,
): Promise<{ behaviour: Behaviour; probes: Observation[] }> {
  const { contract, target } = context;
  if (!ordinary.some(isSuccess)) return { behaviour: createBehaviourWithoutAnswers(context), probes: [] };
  const probeObservations = await sendProbes(context, ordinary);
  const fuzzResult = await fuzzTarget(context, [...ordinary, ...probeObservations]);
  const evidence = collectEvidence(context, [...ordinary, ...probeObservations]);
  const answers = inferAnswers(contract.questions, evidence);
  const recording = target.recordsAnswers ? recordAnswers(context, answers, recordedAnswers) : { notes: [] };
  const markedAnswers = target.recordsAnswers
    ? answers
    : markChangedAnswers(answers, recordedAnswers, contract.questions);
  const probes = [...probeObservations, ...fuzzResult.observations];
  const behaviour: Behaviour = {
    observed: markedAnswers,
    errorResponses: summarizeErrorResponses(evidence),
    findings: [...listServerErrors(context, evidence, fuzzResult.smallest), ...findDrift(markedAnswers)],
    probed: probes.filter(isConclusive).length,
    comparable: answers.filter((answer) => isComparable(answer, recordedAnswers)).length,
    ...recording,
    notes: [...fuzzResult.notes, ...recording.notes],
  };
  return { behaviour, probes };
}

const createBehaviourWithoutAnswers = ({ contract, target }: ProbeContext): Behaviour => ({
  observed: contract.questions.map((question) => ({
    ...describeQuestion(question),
    ...createUnknownAnswer('no request succeeded'),
  })),
  findings: [],
  notes: [],
  probed: 0,
  comparable: 0,
  ...(target.recordsAnswers ? { unrecorded: 'nothing: no response was a documented success' } : {}),
});

const maxRepeatedRequests = 2;

export const estimateProbes = (contract: Contract, target: Target): number =>
  (target.probes ? listProbes(contract, target).length + maxRepeatedRequests : 0) + target.fuzzRequests;

/**
 * Sends the probes of all open questions, except requests that the run has sent already. Then sends up to two requests for the
 * customers list again, to see whether the list changed during the run: a comparison of its pages would then prove nothing.
 */
async function sendProbes(context: ProbeContext, ordinary: Observation[]): Promise<Observation[]> {
  const { contract, target } = context;
  if (!target.probes) return [];
  const breaker = new CircuitBreaker();
  const send = (probe: Probe) => sendProbe(context, probe, breaker);
  const sentRequestLines = new Set(ordinary.filter(isSent).map(({ exchange }) => exchange));
  const isUnsent = ({ request }: Probe) => !sentRequestLines.has(request.exchange);
  const probes = listProbes(contract, target).filter(isUnsent);
  const observations = await Promise.all(probes.map(send));
  const evidence = collectEvidence(context, [...ordinary, ...observations]);
  for (const request of listRequestsToRepeat(evidence))
    observations.push(await send({ ...createProbe(context, request), mark: { again: true } }));
  return observations.filter(isSent);
}

/**
 * Creates a finding for each request with bad input that caused a server error: HTTP 5xx, or a response that was cut off.
 * @param smallestFuzzed for each operation, the smallest fuzz request that caused a server error
 */
function listServerErrors(
  { contract, target }: ProbeContext,
  { findProbeResponse }: Evidence,
  smallestFuzzed: Observation[],
): Finding[] {
  // An `ordinary` question has a request that any client may send, so that its input is not bad.
  const questions = target.probes ? contract.questions.filter(({ ordinary }) => !ordinary) : [];
  const probes = questions.flatMap(({ id }) => findProbeResponse(id) ?? []);
  const findings = [...probes, ...smallestFuzzed].flatMap((probe) => createServerErrorFinding(probe) ?? []);
  const findingByRequestLine = new Map(findings.map((finding) => [finding.exchange, finding]));
  return [...findingByRequestLine.values()];
}

function createServerErrorFinding(observation: Observation): Finding | undefined {
  const actual = describeServerError(observation);
  if (!actual) return undefined;
  const finding: Finding = {
    kind: 'server error',
    requirement: '',
    pointer: 'http',
    expected: 'an error response or a success',
    ...pickDefined(observation, ['operation', 'exchange', 'id']),
    actual,
  };
  const { repeat: curlCommand } = observation;
  // With the pointer `http`, the command also prints the HTTP status.
  if (curlCommand) finding.repeat = adaptCurlOutput(curlCommand, finding.pointer);
  return finding;
}

/**
 * Sends as many random requests as `PROBES` asks for, such as 200 for `PROBES=200`. The returned `notes` name the seed, with
 * which a later run sends the same requests.
 */
async function fuzzTarget(context: ProbeContext, earlier: Observation[]) {
  const { fuzzRequests: budget, fuzzSeed: seed = Date.now() % 2 ** 31 } = context.target;
  if (budget === 0) return { observations: [], smallest: [], notes: [] };
  // Imported only here, because fast-check takes time to load, and most runs do not need it.
  const { fuzz } = await import('./fuzz.ts');
  const results = await fuzz(context, earlier, { budget, seed });
  return { ...results, notes: [`fuzzed with PROBES=${budget}:${seed}`] };
}

function recordAnswers(
  { target: { answersFile }, secrets: { mask } }: ProbeContext,
  answers: ProbeAnswer[],
  earlier: RecordedAnswers,
): Pick<Behaviour, 'notes' | 'unrecorded'> {
  const relativePath = path.relative('', answersFile);
  const file = mask(relativePath.startsWith('..') ? answersFile : relativePath);
  try {
    writeRecorded(answersFile, answers, earlier);
    return { notes: [`recorded the observed behaviour in ${file}`] };
  } catch (error) {
    return { notes: [], unrecorded: `nothing: ${file} cannot be written (${describeWriteFailure(error)})` };
  }
}
