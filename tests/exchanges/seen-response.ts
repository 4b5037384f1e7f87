import type { Operation } from '../../schemas/contract/contract.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { classify, isFailure, type ResponseKind } from '../../schemas/judge/classify-response.ts';
import { type HttpResponse, isEmpty, type Judgement } from '../../schemas/judge/judgement.ts';
import { isErrorResponse } from '../../schemas/judge/success-or-error.ts';
import type { Observation } from '../redaction/observation.ts';
import type { Seen } from '../relations/sightings-of-run.ts';
import type { Arguments } from './request.ts';

/** Where a response comes from: enough to ask again, and to show it. */
export interface Source {
  arguments: Arguments;
  observation: Observation;
  /** Set where it asks for more than the request that was observed: the target may reject that. */
  isLonger?: true;
}

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

/** What the code of an error says, with any HTTP status: one that no HTTP status has is a rejection. */
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
