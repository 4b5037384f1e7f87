import type { Operation } from '../../schemas/contract/contract.ts';
import { addressOf } from '../../schemas/contract/nodes.ts';
import { isFailure, type ResponseKind } from '../../schemas/judge/classify-response.ts';
import type { Judgement } from '../../schemas/judge/judgement.ts';
import type { Observation } from '../redaction/observation.ts';
import type { Seen } from '../relations/sightings-of-run.ts';

/** What a response is to the rules between responses. */
export type SeenIn = Pick<Seen<unknown>, 'outcome'> & Partial<Pick<Seen<unknown>, 'body'>>;

/** Of a body that is ambiguous, or not there, the rules between responses compare nothing. */
export function seenIn(
  { id }: Operation,
  response: ResponseKind,
  { body, visits, isErrorEnvelope }: Judgement,
): SeenIn {
  if (isErrorEnvelope || response === 'rejection') return { outcome: 'error' };
  if (response === 'unauthorized') return { outcome: 'denied' };
  if (isFailure(response)) return { outcome: 'failure' };
  return Object.hasOwn(visits, addressOf(id, '')) ? { outcome: 'success', body } : { outcome: 'other' };
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
