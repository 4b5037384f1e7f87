import type { Contract } from '../../schemas/contract/contract.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { counted } from '../../schemas/counted.ts';
import { isAccessDenied, isTransient } from '../../schemas/judge/classify.ts';
import { type RequestOverrides, requestKey } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { type Digest, type RecordingClient, shortened } from './digest.ts';

/** A request whose response the contract leaves open. */
export interface Probe {
  question: Question;
  /** As it stands on the wire. */
  path: string;
  overrides: RequestOverrides;
  /** The path as it may be written, where all of it is this suite's own. */
  shown?: string;
  /** Of the request, as it is recorded. */
  key: string;
}

/** Every probe of a target, each a request of its own. */
export function probesFor(contract: Contract, target: Target): Probe[] {
  const { USER_IDS: [user = '00000000-0000-4000-8000-000000000000'] = [] } = target.identifiers;
  // Long enough for buffers of usual size to be filled, short enough for every server's whole request.
  const values: Record<string, string> = { '{user}': encodeURIComponent(user), '{long}': 'a'.repeat(7000) };
  const asked = contract.questions.filter(({ anonymous }) => !anonymous || hasCredentials(target));
  return asked.flatMap((question) =>
    (question.requests ?? []).map((request) => {
      const { accept, anonymous } = question;
      const path = pathTo(contract, request).replace(/\{\w+\}$/, (name) => values[name] ?? '');
      const shown = request.endsWith('{user}') ? {} : { shown: shortened(path) };
      const overrides = { ...(accept && { accept }), ...(anonymous && { anonymous }) };
      return { question, path, overrides, ...shown, key: requestKey(path, overrides) };
    }),
  );
}

/** Path of a request that is written as `operation?query` or `operation/identifier`. */
function pathTo({ operations }: Contract, request: string): string {
  const [, id, identifier = '', query = ''] = /^(\w+)(\/[^?]*)?(\?.+)?$/.exec(request) ?? [];
  const { path = '' } = operations.find((one) => one.id === id) ?? {};
  return (path.includes('{') ? path.replace(/\/\{\w+\}/, identifier) : path + identifier) + query;
}

/** Whether there is anything to leave out of a request without credentials. */
function hasCredentials({ headers, authModule, token, baseUrl }: Target): boolean {
  const named = baseUrl !== undefined && new URL(baseUrl).username !== '';
  return Object.keys(headers).length > 0 || authModule !== undefined || token !== undefined || named;
}

/** All that was recorded in a run, as what answers are inferred from. */
export interface Evidence {
  /** Responses that say something lasting, in the order in which the requests were begun. */
  recorded: Digest[];
  /** The response to the first probe of a question, unless it was not sent. */
  probe(id: string): Digest | undefined;
  /** The response to a request, written as `operation?query`, whoever asked. */
  asked(request: string): Digest | undefined;
  /** The response to the same request when it was sent again. */
  again(digest: Digest | undefined): Digest | undefined;
  /** Whether credentials are configured. */
  credentials: boolean;
  /** Why a probe may be missing. */
  notAskedReason: string;
}

/** What was recorded, by probe and by request. */
export function evidenceOf(
  { recorded, contract }: Pick<RecordingClient, 'recorded' | 'contract'>,
  probes: Probe[],
  target: Target,
  notAskedReason: string,
): Evidence {
  return {
    recorded: lasting([...recorded.values()].flatMap((one) => (one && !one.again ? one : []))),
    probe: (id) => recorded.get(probes.find(({ question }) => question.id === id)?.key ?? ''),
    asked: (request) => recorded.get(requestKey(pathTo(contract, request))),
    again: (digest) => digest && recorded.get(requestKey(digest.path, { again: true })),
    credentials: hasCredentials(target),
    notAskedReason,
  };
}

/** Whether an operation was answered with what it is documented to be. */
export const isSuccess = ({ operation, kind }: Digest) => operation !== undefined && kind === 'success';

/** Without responses of a moment, and without rejections for access where nothing of an operation was accessible. */
function lasting(recorded: Digest[]): Digest[] {
  const known = recorded.filter(({ kind }) => kind && !isTransient(kind));
  const isDenied = ({ kind = 'other' }: Digest) => isAccessDenied(kind);
  const accessible = new Set(known.filter((one) => !isDenied(one)).map(({ operation }) => operation));
  // A path of no operation is as accessible as the operations are.
  const isAccessible = ({ operation }: Digest) =>
    operation === undefined ? accessible.size > 0 : accessible.has(operation);
  return known.filter((one) => !isDenied(one) || isAccessible(one));
}

/** What is known of one open question. */
export interface InferredAnswer {
  answer: string;
  confidence: 'certain' | 'likely' | 'unknown';
  evidence: string[];
}

/** Answers one open question from what was recorded. */
export type Inference = (evidence: Evidence, question: Question) => InferredAnswer;

/** An answer that the responses it rests on leave no doubt of. */
export const certain = (answer: string, ...digests: Digest[]): InferredAnswer => ({
  answer,
  confidence: 'certain',
  evidence: digests.map(lineOf),
});

/** An answer that other responses might refute. */
export const likely = (answer: string, ...digests: Digest[]): InferredAnswer => ({
  ...certain(answer, ...digests),
  confidence: 'likely',
});

/** No answer, and why there is none. */
export const unknown = (reason: string, ...digests: Digest[]): InferredAnswer => ({
  answer: 'unknown',
  confidence: 'unknown',
  evidence: [reason, ...digests.map(lineOf)],
});

/** Reads the response to the probe of a question; the label of any other response is the answer. */
export const probed =
  (read: (digest: Digest, evidence: Evidence) => InferredAnswer): Inference =>
  (evidence, { id }) => {
    const digest = evidence.probe(id);
    if (!digest) return unknown(evidence.notAskedReason);
    return nonSuccess(digest, evidence) ?? read(digest, evidence);
  };

/** What there is to say of a response that is no success. */
export function nonSuccess(digest: Digest, { recorded }: Evidence): InferredAnswer | undefined {
  const { kind, label, blocked } = digest;
  if (kind === 'success') return undefined;
  if (kind === undefined) return unknown(blocked ? 'no answer' : label, digest);
  if (recorded.includes(digest)) return certain(label, digest);
  return isTransient(kind)
    ? unknown('the response is one of a bad moment: it may be another one later', digest)
    : unknown('every request was rejected for access', digest);
}

/** One exchange in a line: what was asked, and what there is to count in the response. */
function lineOf({ exchange, blocked, kind, label, status, lists }: Digest): string {
  if (!kind) return `${exchange}: ${blocked ?? label}`;
  const counts = Object.entries(lists).map(
    ([name, { count }]) => `, ${counted(count, name.replaceAll('_', ' ').replace(/s$/, ''))}`,
  );
  return `${exchange}: HTTP ${status}${counts.join('')}`;
}
