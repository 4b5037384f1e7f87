import type { Operation } from '../../schemas/contract/contract.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { classify, isFailure, type ResponseKind } from '../../schemas/judge/classify-response.ts';
import { type HttpResponse, isEmpty, type Judgement } from '../../schemas/judge/judgement.ts';
import { isErrorResponse } from '../../schemas/judge/success-or-error.ts';
import type { Observation } from '../redaction/observation.ts';
import type { Seen } from '../relations/sightings-of-run.ts';

/** What a response is to the rules between responses. */
export type SeenIn = Pick<Seen<unknown>, 'outcome'> & Partial<Pick<Seen<unknown>, 'body'>>;

/** Of a body that is ambiguous, or not there, the rules between responses compare nothing. */
export function seenIn(
  operation: Operation,
  response: ResponseKind,
  { body, visits, isErrorEnvelope }: Judgement,
): SeenIn {
  const kind = isErrorEnvelope ? kindOfError(operation, body) : response;
  if (kind === 'unauthorized') return { outcome: 'denied' };
  if (isFailure(kind)) return { outcome: 'failure' };
  if (kind === 'rejection') return { outcome: 'error' };
  const isSuccess = kind === 'success' && Object.hasOwn(visits, addressOf(operation.id, ''));
  return isSuccess ? { outcome: 'success', body } : { outcome: 'other' };
}

/** What the code of an error says, whatever the HTTP status: one that no HTTP status has is a rejection. */
function kindOfError(operation: Operation, body: unknown): ResponseKind {
  const { kind } = classify(operation, { status: operation.status, value: body });
  return kind === 'success' ? 'rejection' : kind;
}

/** Whether something is wrong with a response, and it is an error response. */
export function isRejected(operation: Operation, judgement: Judgement, answer: HttpResponse): boolean {
  const broken = !isEmpty(judgement.violations) || judgement.blocked !== undefined;
  return broken && isErrorResponse(operation, answer);
}

/** What a response breaks that the first one to the same request did not. */
export function newIn(
  { findings, visits, tolerated }: Observation,
  first: Observation,
): Partial<Observation> {
  const known = new Set(first.findings.map(({ requirement }) => requirement));
  const found = findings.filter(({ requirement }) => !known.has(requirement));
  const exercised = found.map(({ requirement }) => [requirement, visits[requirement] ?? 1]);
  return found.length > 0 ? { findings: found, visits: Object.fromEntries(exercised), tolerated } : {};
}
