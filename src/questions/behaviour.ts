import path from 'node:path';
import { pickDefined } from '../../schemas/json.ts';
import { describeWriteFailure } from '../client/files.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { adaptCurlOutput } from '../redact/curl.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { describeQuestion, inferAnswers, type ProbeAnswer } from './answers.ts';
import {
  findDrift,
  isComparable,
  markChangedAnswers,
  type RecordedAnswers,
  writeRecordedAnswers,
} from './drift.ts';
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

/** Behaviour of the target that the contract leaves open. Contains no private data. */
export interface Behaviour {
  observed: ProbeAnswer[];
  errorResponses?: ErrorResponses[];
  findings: Finding[];
  notes: string[];
  /** Number of answers that can be compared with recorded answers. */
  comparable?: number;
  /** Number of probes and random requests with a conclusive response. HTTP 503, for example, is not conclusive. */
  probed?: number;
  /** Reason why `PROBES=record` stored no answers. */
  // Reports show this text after "got": "got nothing: no response was a documented success".
  unrecorded?: string;
}

/**
 * Answers the open questions of the contract. Sends the probes and random requests that `PROBES` enables, and infers the answers
 * from all responses. With `PROBES=record`, also stores the answers. If no ordinary request succeeded, sends and stores nothing,
 * and every answer is `unknown`.
 * @param ordinaryObservations observations of the requests that tested the contract
 * @param recordedAnswers answers of an earlier run, to find changes. With `PROBES=record`, the earlier answer replaces a new answer
 *   that is `unknown`.
 * @returns the behaviour, and as `probes` the observations of probes and random requests
 */
export async function observeBehaviour(
  context: ProbeContext,
  ordinaryObservations: Observation[],
  recordedAnswers: RecordedAnswers,
): Promise<{ behaviour: Behaviour; probes: Observation[] }> {
  const { contract, target } = context;
  // Sends and stores nothing if no request succeeded, because `BASE_URL` may be the address of another API.
  if (!ordinaryObservations.some(isSuccess))
    return { behaviour: createBehaviourWithoutAnswers(context), probes: [] };
  const probeObservations = await sendProbes(context, ordinaryObservations);
  const observations = [...ordinaryObservations, ...probeObservations];
  const fuzzResult = await fuzzTarget(context, observations);
  const smallestFailingFuzzRequests = fuzzResult.smallest;
  const evidence = collectEvidence(context, observations);
  const answers = inferAnswers(contract.questions, evidence);
  const { notes: recordingNotes, unrecorded } = target.recordsAnswers
    ? recordAnswers(context, answers, recordedAnswers)
    : { notes: [] };
  // A run that records its answers replaces the earlier ones, so it does not compare them.
  const markedAnswers = target.recordsAnswers
    ? answers
    : markChangedAnswers(answers, recordedAnswers, contract.questions);
  const probes = [...probeObservations, ...fuzzResult.observations];
  const behaviour: Behaviour = {
    observed: markedAnswers,
    errorResponses: summarizeErrorResponses(evidence),
    findings: [
      ...listServerErrors(context, evidence, smallestFailingFuzzRequests),
      ...findDrift(markedAnswers),
    ],
    probed: probes.filter(isConclusive).length,
    comparable: answers.filter((answer) => isComparable(answer, recordedAnswers)).length,
    ...(unrecorded === undefined ? {} : { unrecorded }),
    notes: [...fuzzResult.notes, ...recordingNotes],
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

async function sendProbes(
  context: ProbeContext,
  ordinaryObservations: Observation[],
): Promise<Observation[]> {
  const { contract, target } = context;
  if (!target.probes) return [];
  const breaker = new CircuitBreaker();
  const send = (probe: Probe) => sendProbe(context, probe, breaker);
  const sentRequests = ordinaryObservations.filter(isSent);
  const sentRequestLines = new Set(sentRequests.map(({ requestText }) => requestText));
  const isUnsent = ({ request }: Probe) => !sentRequestLines.has(request.requestText);
  const unsentProbes = listProbes(contract, target).filter(isUnsent);
  const observations = await Promise.all(unsentProbes.map(send));
  // Requests some pages of the customer list again. If the list has changed meanwhile, its pages cannot be compared with each other.
  const evidence = collectEvidence(context, [...ordinaryObservations, ...observations]);
  for (const request of listRequestsToRepeat(evidence)) {
    const repeatedProbe: Probe = { ...createProbe(context, request), mark: { again: true } };
    observations.push(await send(repeatedProbe));
  }
  return observations.filter(isSent);
}

function listServerErrors(
  { contract, target }: ProbeContext,
  { findProbeResponse }: Evidence,
  smallestFailingFuzzRequests: Observation[],
): Finding[] {
  // Leaves out `ordinary` questions: their probes are requests that any client may send.
  const questions = target.probes ? contract.questions.filter(({ ordinary }) => !ordinary) : [];
  const probeResponses = questions
    .map(({ id }) => findProbeResponse(id))
    .filter((response) => response !== undefined);
  // A fuzz request may be equal to a probe. Their findings are then one.
  const findingByRequestLine = new Map<string, Finding>();
  for (const observation of [...probeResponses, ...smallestFailingFuzzRequests]) {
    const finding = createServerErrorFinding(observation);
    // `exchange` is the line of the request, such as `GET /api/cards/x`.
    if (finding) findingByRequestLine.set(finding.exchange, finding);
  }
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
    operation: observation.operation,
    exchange: observation.requestText,
    ...pickDefined(observation, ['id']),
    actual,
  };
  const { curlCommand } = observation;
  if (curlCommand) finding.repeat = adaptCurlOutput(curlCommand, finding.pointer);
  return finding;
}

/**
 * Sends random requests to provoke server errors. Sends none unless `PROBES` has a number of requests, such as `200`.
 * @returns `smallest` holds, for each operation, the smallest request that caused a server error. `notes` name the setting that
 *   sends the same requests again: `fuzzed with PROBES=200:42`.
 */
async function fuzzTarget(
  context: ProbeContext,
  earlierObservations: Observation[],
): Promise<{ observations: Observation[]; smallest: Observation[]; notes: string[] }> {
  const { fuzzRequests: budget, fuzzSeed: seed = Date.now() % 2 ** 31 } = context.target;
  if (budget === 0) return { observations: [], smallest: [], notes: [] };
  // Imported only here, because fast-check takes time to load, and most runs do not need it.
  const { fuzz } = await import('./fuzz.ts');
  const results = await fuzz(context, earlierObservations, { budget, seed });
  return { ...results, notes: [`fuzzed with PROBES=${budget}:${seed}`] };
}

function recordAnswers(
  { target: { answersFile }, secrets: { mask } }: ProbeContext,
  answers: ProbeAnswer[],
  earlierAnswers: RecordedAnswers,
): Pick<Behaviour, 'notes' | 'unrecorded'> {
  const relativePath = path.relative('', answersFile);
  const isOutsideOfProject = relativePath.startsWith('..');
  const file = mask(isOutsideOfProject ? answersFile : relativePath);
  try {
    writeRecordedAnswers(answersFile, answers, earlierAnswers);
    return { notes: [`recorded the observed behaviour in ${file}`] };
  } catch (error) {
    // The gate `run/record` continues: "expected the observed behaviour to be recorded; got nothing: …".
    return { notes: [], unrecorded: `nothing: ${file} cannot be written (${describeWriteFailure(error)})` };
  }
}
