import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { pick } from '../../schemas/json.ts';
import { writeFailure } from '../client/files.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { atPlace } from '../redact/curl.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import { answerAll, type ProbeAnswer } from './answers.ts';
import { compared, driftIn, isComparable, type RecordedAnswers, writeRecorded } from './drift.ts';
import { collectEvidence, type Evidence, isLasting, isSuccess, unknown } from './evidence.ts';
import { requestsToRepeat } from './listCustomers.ts';
import {
  createPathProbe,
  createProbe,
  listProbes,
  type Probe,
  type ProbeContext,
  type QuestionProbe,
  sendProbe,
} from './probes.ts';

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
  /** Why nothing was recorded, where `PROBES=record`. */
  unrecorded?: string;
}

/** Behaviour with the observations of the requests that were sent to find it out. */
export interface ObservedBehaviour {
  behaviour: Behaviour;
  probes: Observation[];
}

/**
 * Sends what the contract leaves open, once everything else was sent, and answers the open questions. Never throws for
 * what a target does.
 * @param ordinary observations of the operations, read by the reader of the context, in the order sent
 */
export async function observeBehaviour(
  context: ProbeContext,
  ordinary: Observation[],
  recorded: RecordedAnswers,
): Promise<ObservedBehaviour> {
  const { contract, target } = context;
  // Nothing more is sent to a target without any success: a login page, or another API, says nothing of this API.
  const responds = ordinary.some(isSuccess);
  const questionProbes = listProbes(contract, target);
  const probed = target.probes && responds ? await sendProbes(context, ordinary, questionProbes) : [];
  const evidence = collectEvidence(context, [...ordinary, ...probed], questionProbes, notAskedReason(target));
  const seed = target.fuzzSeed ?? Date.now() % 2 ** 31;
  const fuzzed = responds ? await fuzzTarget(context, [...ordinary, ...probed], seed) : nothingFuzzed;
  const none = unknown('nothing was answered with a success');
  const observed = answerAll(contract.questions, evidence).map((answer) =>
    responds ? answer : { ...answer, ...none },
  );
  const known = target.record || !responds ? observed : compared(observed, recorded, contract.questions);
  const errors = [
    ...(target.probes && responds ? findServerErrors(evidence, questionProbes) : []),
    ...fuzzed.errors,
  ];
  const unique = new Map(errors.map((finding) => [finding.exchange, finding]));
  const fuzzNote = target.fuzzRequests > 0 ? [`fuzzed with PROBES=${target.fuzzRequests}:${seed}`] : [];
  const recording = target.record ? recordIn(context, responds, observed, recorded) : { notes: [] };
  const probes = [...probed, ...fuzzed.sent];
  const behaviour = {
    observed: known,
    findings: [...unique.values(), ...driftIn(known)],
    probed: probes.filter(isLasting).length,
    comparable: observed.filter((answer) => isComparable(answer, recorded)).length,
    ...recording,
    notes: [...fuzzNote, ...recording.notes],
  };
  return { behaviour, probes };
}

const notAskedReason = ({ probes }: Target) =>
  probes ? 'not asked: other requests before it got no answer' : 'not asked: PROBES is off';

/** The greatest number of requests that probes and fuzz take. */
export const maxProbes = (contract: Contract, target: Target): number =>
  (target.probes ? listProbes(contract, target).length + 2 : 0) + target.fuzzRequests;

/** Sends each probe that was not sent before, and then the lists that may have changed meanwhile once more. */
async function sendProbes(
  context: ProbeContext,
  ordinary: Observation[],
  probes: QuestionProbe[],
): Promise<Observation[]> {
  const breaker = new CircuitBreaker();
  const send = (probe: Probe) => sendProbe(context, probe, breaker);
  const sentBefore = new Set(ordinary.flatMap(({ notSent, exchange }) => (notSent ? [] : exchange)));
  const unsent = probes.filter(({ request }) => !sentBefore.has(request.exchange));
  const observations = await Promise.all(unsent.map(send));
  const evidence = collectEvidence(context, [...ordinary, ...observations], probes, '');
  for (const list of requestsToRepeat(evidence))
    observations.push(await send(createProbe(context, list, { again: true })));
  return observations.filter(({ notSent }) => !notSent);
}

/** Errors for which a server is at fault, as opposed to a target that cannot be reached any more. */
const cutShort = /^no complete answer|connection was reset|not HTTP/;

/** Describes what is wrong with a response to any request: HTTP 5xx, or no response. */
function describeServerError({ content, blocked = '' }: Observation): string | undefined {
  if (content?.kind === 'server error') return content.error?.label;
  return cutShort.test(blocked) ? blocked : undefined;
}

/** Lists server errors on bad input; what any client may send is no bad input. */
const findServerErrors = ({ probe }: Evidence, probes: QuestionProbe[]): Finding[] =>
  probes
    .filter(({ question }) => !question.ordinary)
    .flatMap(({ question }) => findServerError(probe(question.id)));

function findServerError(observation: Observation | undefined): Finding[] {
  const actual = observation && describeServerError(observation);
  if (!actual) return [];
  const { operation, exchange, repeat } = observation;
  const expected = 'an error response or a success';
  const finding = { kind: 'server error', requirement: '', operation, pointer: 'http', expected } as const;
  const command = repeat ? { repeat: atPlace(repeat, 'http') } : {};
  return [{ ...finding, actual, exchange, ...pick(observation, ['id']), ...command }];
}

const nothingFuzzed = { sent: [] as Observation[], errors: [] as Finding[] };

async function fuzzTarget(
  context: ProbeContext,
  earlier: Observation[],
  seed: number,
): Promise<typeof nothingFuzzed> {
  const { contract, target } = context;
  if (target.fuzzRequests === 0) return nothingFuzzed;
  // Loaded here, since most runs do without fast-check.
  const { fuzz } = await import('./fuzz.ts');
  const breaker = new CircuitBreaker();
  const received = earlier.filter(({ notSent }) => !notSent);
  const byLine = new Map(received.map((observation) => [observation.exchange, observation]));
  const { sent, smallest } = await fuzz({
    ...{ operations: contract.operations, budget: target.fuzzRequests, seed },
    send: (operation, path) => sendProbe(context, createPathProbe(target, operation, path), breaker),
    findSent: (path) => byLine.get(`GET ${path}`),
    isError: (observation) => describeServerError(observation) !== undefined,
  });
  return { sent, errors: smallest.flatMap(findServerError) };
}

/** Records the answers: says where in a note, or else why not. */
function recordIn(
  { target: { recordFile }, secrets: { mask } }: ProbeContext,
  responds: boolean,
  observed: ProbeAnswer[],
  earlier: RecordedAnswers,
): Pick<Behaviour, 'notes' | 'unrecorded'> {
  if (!responds) return { notes: [], unrecorded: 'nothing: no response was a documented success' };
  const relative = path.relative('', recordFile);
  const file = mask(relative.startsWith('..') ? recordFile : relative);
  try {
    writeRecorded(recordFile, observed, earlier);
    return { notes: [`recorded the observed behaviour in ${file}`] };
  } catch (error) {
    return { notes: [], unrecorded: `nothing: ${file} cannot be written (${writeFailure(error)})` };
  }
}
