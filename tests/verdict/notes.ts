import { loadContract } from '../../schemas/contract.ts';
import type { Observation } from '../client/observation.ts';
import type { Target } from '../client/target.ts';
import type { Run } from '../run/results.ts';

/** Where a run had no data: an operation without identifiers, an empty list, a filter that matched nothing. */
export function emptyNotes(target: Target, observations: Observation[]): string[] {
  const asked = new Set(observations.map(({ operation }) => operation));
  const unasked = loadContract().operations.filter(({ id }) => observations.length > 0 && !asked.has(id));
  return [
    ...unsetVariables(target, observations).map(
      (name) => `${name} is not set: requirements that need it are not exercised`,
    ),
    ...unasked.map(({ id }) => `no request of ${id} was sent`),
    ...withoutSuccess(observations),
    ...observations.filter(isEmpty).map(({ exchange }) => `no data: ${exchange} returned an empty list`),
  ];
}

/** Variables of identifiers that are not set, unless responses have named some. */
function unsetVariables({ identifiers }: Target, observations: Observation[]): (string | undefined)[] {
  const isSent = (operation: string, parameter: string) =>
    observations.some((one) => one.operation === operation && Object.hasOwn(one.parameters, parameter));
  return loadContract().operations.flatMap(({ id, parameters }) =>
    parameters
      .filter(
        ({ name, 'x-identifiers': variable = '' }) =>
          identifiers[variable]?.length === 0 && !isSent(id, name),
      )
      .map((parameter) => parameter['x-identifiers']),
  );
}

function withoutSuccess(observations: Observation[]): string[] {
  return loadContract()
    .operations.map(({ id, status }) => ({
      id,
      status,
      own: observations.filter(({ operation }) => operation === id),
    }))
    .filter(({ status, own }) => own.length > 0 && own.every((one) => one.status !== status))
    .map(({ id, status }) => `no data: no request of ${id} was answered with HTTP ${status}`);
}

/** A response whose list has no element, where no page was asked for. */
function isEmpty({ visits, parameters, operation }: Observation): boolean {
  if ('offset' in parameters) return false;
  const lists = Object.keys(visits).filter(
    (address) => /^\w+\/data\/\w+s$/.test(address) && address.startsWith(operation),
  );
  return lists.some((address) => !visits[`${address}/*`]);
}

/** A target that needed a second request is not what it should be, though nothing is wrong with its responses. */
export const repetitionNotes = (run: Run | undefined): string[] =>
  Object.entries(run?.repeated ?? {}).map(([reason, count]) => `repeated ${count} times: ${reason}`);
