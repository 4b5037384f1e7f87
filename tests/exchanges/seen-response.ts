import type { Operation } from '../../schemas/contract/contract.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import {
  classify,
  isFailure,
  otherReason,
  type ResponseKind,
} from '../../schemas/judge/classify-response.ts';
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

/** That an error response with the status of a success says that the request is at fault, as far as it says anything. */
export function rejectionIn(
  { response, blocked }: Observation,
  { outcome }: SeenIn,
): Pick<Observation, 'rejectedInBody'> {
  const isRequest = response === 'success' && !blocked && outcome !== 'failure' && outcome !== 'denied';
  return isRequest ? { rejectedInBody: true } : {};
}

/** Whether an observed response held what a success carries. */
export const showedPayload = ({ id, envelope }: Operation, { visits }: Observation): boolean =>
  Object.hasOwn(visits, addressOf(id, envelope.payload ?? ''));

/** Whether a response says nothing of its request, as where the target is overloaded. */
export const saysNothing = (response: ResponseKind, { blocked }: Judgement): boolean =>
  blocked !== undefined || otherReason(response, '') !== undefined;

/**
 * Whether no change of the data explains that a request which had a success before has an error response: the target is
 * overloaded, fails, or denies access. Of a record that a list has shown, it may fail or deny what has gone.
 */
export function isUnexplained(
  operation: Operation,
  first: Observation,
  response: ResponseKind,
  judgement: Judgement,
): boolean {
  if (!showedPayload(operation, first)) return false;
  if (saysNothing(response, judgement)) return true;
  const { outcome } = seenIn(operation, response, judgement);
  return !namesFoundRecord(operation, first) && (outcome === 'failure' || outcome === 'denied');
}

/** Whether a request has an identifier that nobody has configured. */
const namesFoundRecord = ({ parameters }: Operation, first: Observation): boolean =>
  !first.configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(first.parameters, name));

/** What a response breaks that the first one to the same request did not, or why it says nothing. */
export function newIn(
  { findings, visits, tolerated, blocked }: Observation,
  first: Observation,
): Partial<Observation> {
  if (blocked !== undefined) return { blocked };
  const known = new Set(first.findings.map(({ requirement }) => requirement));
  const found = findings.filter(({ requirement }) => !known.has(requirement));
  const exercised = found.map(({ requirement }) => [requirement, visits[requirement] ?? 1]);
  return found.length > 0 ? { findings: found, visits: Object.fromEntries(exercised), tolerated } : {};
}
