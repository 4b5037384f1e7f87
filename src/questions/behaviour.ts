import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { pick } from '../../schemas/json.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import { writeFailure } from '../client/files.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { addressInShell, atPlace, curlOf } from '../redact/curl.ts';
import type { Finding } from '../redact/observation.ts';
import { answerAll, type ProbeAnswer } from './answers.ts';
import type { Digest, RecordingClient } from './digest.ts';
import { compared, driftIn, isComparable, type RecordedAnswers, writeRecorded } from './drift.ts';
import { type Evidence, evidenceOf, isSuccess, type Probe, probesFor, unknown } from './evidence.ts';
import { listsAgain } from './listCustomers.ts';

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

/** Asks what the contract leaves open, once everything else was asked. Never throws for what a target does. */
export async function observeBehaviour(
  target: Target,
  client: RecordingClient,
  recorded: RecordedAnswers,
): Promise<Behaviour> {
  const { questions } = client.contract;
  // A target that answers nothing else is left alone: a login page, or another API, says nothing of this one.
  const responds = [...client.recorded.values()].some((one) => one && isSuccess(one));
  const ordinary = client.recorded.size;
  const probes = probesFor(client.contract, target);
  const evidence = await gather(target, client, probes, responds);
  const seed = target.fuzzSeed ?? Date.now() % 2 ** 31;
  const fuzzed = responds ? await fuzzedErrors(target, client, seed) : [];
  const none = unknown('nothing was answered with a success');
  const observed = answerAll(questions, evidence).map((one) => (responds ? one : { ...one, ...none }));
  const known = target.record || !responds ? observed : compared(observed, recorded, questions);
  // Responses to any other request are no matter of bad input; of a target that answers nothing, nothing is to be said.
  const bad = probes.filter(({ question }) => target.probes && responds && !question.ordinary);
  const errors = [...bad.flatMap(({ key }) => errorIn(client.recorded.get(key), target)), ...fuzzed];
  const unique = new Map(errors.map((finding) => [finding.exchange, finding]));
  const fuzzNote = target.fuzzRequests > 0 ? [`fuzzed with PROBES=${target.fuzzRequests}:${seed}`] : [];
  const recording = target.record ? recordIn(target, client, responds, observed, recorded) : { notes: [] };
  return {
    observed: known,
    findings: [...unique.values(), ...driftIn(known)],
    probed: [...client.recorded.values()].slice(ordinary).filter(saysSomething).length,
    comparable: observed.filter((one) => isComparable(one, recorded)).length,
    ...recording,
    notes: [...fuzzNote, ...recording.notes],
  };
}

/** The most requests that this takes. */
export const maxProbes = (contract: Contract, target: Target): number =>
  (target.probes ? probesFor(contract, target).length + 2 : 0) + target.fuzzRequests;

/** Sends each probe once, what was recorded already excepted, and then what may have changed meanwhile once more. */
async function gather(
  target: Target,
  client: RecordingClient,
  probes: Probe[],
  responds: boolean,
): Promise<Evidence> {
  const notAskedReason = target.probes
    ? 'not asked: other requests before it got no answer'
    : 'not asked: PROBES is off';
  const evidence = () => evidenceOf(client, probes, target, notAskedReason);
  if (!target.probes || !responds) return evidence();
  const breaker = new CircuitBreaker();
  const unknown = probes.filter(({ key }) => !client.recorded.has(key));
  await Promise.all(unknown.map((one) => client.get(one.path, breaker, one.overrides, one.shown)));
  for (const list of listsAgain(evidence())) await client.get(list.path, breaker, { again: true });
  return evidence();
}

const saysSomething = (one: Digest | undefined) =>
  one?.kind !== undefined && !isTransient(one.kind) && !isAccessDenied(one.kind);

/** Faults of a server, as opposed to a target that cannot be reached any more. */
const cutShort = /^no complete answer|connection was reset|not HTTP/;

/** What is wrong with a response to any request: HTTP 5xx, or none. */
function serverErrorOf({ kind, label, blocked = '' }: Digest): string | undefined {
  return kind === 'server error' ? label : cutShort.test(blocked) ? blocked : undefined;
}

function errorIn(digest: Digest | undefined, target: Target): Finding[] {
  const actual = digest && serverErrorOf(digest);
  if (!actual) return [];
  const { operation = '', exchange, path: own } = digest;
  const expected = 'an error response or a success';
  const finding = { kind: 'server error', requirement: '', operation, pointer: 'http', expected } as const;
  // What the exchange withholds would be shown by its command.
  const repeat = atPlace(`${curlOf(target)} ${addressInShell(own)}`, 'http');
  const shown = exchange === `GET ${own}` ? { repeat } : {};
  return [{ ...finding, actual, exchange, ...pick(digest, ['id']), ...shown }];
}

async function fuzzedErrors(target: Target, client: RecordingClient, seed: number): Promise<Finding[]> {
  if (target.fuzzRequests === 0) return [];
  // Loaded here, since most runs do without fast-check.
  const { fuzz } = await import('./fuzz.ts');
  const smallest = await fuzz(client, target.fuzzRequests, seed, (one) => serverErrorOf(one) !== undefined);
  return smallest.flatMap((digest) => errorIn(digest, target));
}

/** Records the answers: says where in a note, or else why not. */
function recordIn(
  { recordFile }: Target,
  { mask }: RecordingClient,
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
