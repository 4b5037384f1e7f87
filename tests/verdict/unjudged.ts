import { addressOf } from '../../schemas/contract/nodes.ts';
import { http, type Requirement } from '../../schemas/contract/requirements.ts';
import type { Observation } from '../redaction/observation.ts';

/** Whether responses were requested, or read from a recording. */
export type Origin = 'asked' | 'recorded';

/** Why there is nothing to judge a requirement by, though nothing was blocked. @param observations of its operation */
export const unjudgedReason = (
  requirement: Requirement,
  observations: Observation[],
  origin: Origin,
): string =>
  origin === 'asked' ? unaskedReason(requirement, observations) : unrecordedReason(requirement, observations);

function unaskedReason(requirement: Requirement, observations: Observation[]): string {
  const { address, operation, place } = requirement;
  const undecided = observations.find((one) => one.undecided && Object.hasOwn(one.undecided, address));
  if (undecided) return `two responses contradict each other, but ${undecided.undecided?.[address]}`;
  if (observations.length === 0)
    return `no request of ${operation} was sent: no identifiers are configured or found`;
  if (observations.every(({ visits }) => !Object.hasOwn(visits, http(operation).contentType)))
    return 'no request of this operation was answered with a success';
  if (place === 'request' && observations.some(({ status }) => status === undefined))
    return 'the request that would show it got no response';
  return place === 'request'
    ? 'no request that would show it was sent'
    : lackOf(requirement, observations, '');
}

function unrecordedReason(requirement: Requirement, observations: Observation[]): string {
  const { operation, place } = requirement;
  if (observations.length === 0) return nothingRecorded(operation);
  return place === 'request'
    ? 'no request that would show it was recorded'
    : lackOf(requirement, observations, 'recorded ');
}

/** That a recording says nothing of an operation. */
export const nothingRecorded = (operation: string): string =>
  `no exchange of ${operation} was recorded that can be judged`;

/** What no response had. A rule between responses needs two that show the same record. */
function lackOf(requirement: Requirement, observations: Observation[], recorded: '' | 'recorded '): string {
  const body = addressOf(requirement.operation, '');
  if (observations.every(({ visits }) => !Object.hasOwn(visits, body)))
    return `no ${recorded}response had a body that could be judged`;
  const check = requirement.kind === 'rule' ? requirement.rule.check : {};
  if (!('again' in check)) return `no ${recorded}response held anything to judge it by`;
  const record = 'constant' in check ? 'the requested record' : 'the same record';
  return `no two ${recorded}responses held ${record} with values to compare`;
}
