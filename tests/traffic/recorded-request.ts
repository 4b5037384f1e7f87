import type { Operation } from '../../schemas/contract/contract.ts';
import { givenValue, isDocumentedRequest } from '../../schemas/contract/documented-request.ts';
import { isUuid } from '../../schemas/contract/identifiers.ts';
import { rejectionRuleOf } from '../../schemas/judge/rules.ts';
import { type RecordedRoute, routeFinder } from './recorded-route.ts';

/** A recorded request of an operation. Parameters are raw. */
export interface RecordedRequest {
  operation: Operation;
  /** The address below which its path stands: what is there belongs together. */
  base: string;
  parameters: Record<string, string>;
  /** Whether the contract documents such a request: it has all parameters that it must have, and each has a value that fits. */
  isDocumented: boolean;
  /** Whether it names a record, which may not exist. */
  lookup: boolean;
  /** Whether it may be of another resource, whose name stands where a record is named: `/customers/export.csv`. */
  isPerhapsOther: boolean;
}

export type FindRequest = (url: URL) => RecordedRequest | undefined;

/** Recognizes requests of the operations by their paths: below any address, or only below this one. */
export function requestFinder(operations: Operation[], baseUrl?: string): FindRequest {
  const findRoute = routeFinder(operations, baseUrl);
  return (url) => {
    const route = findRoute(url);
    return route && requestOn(route);
  };
}

function requestOn(route: RecordedRoute): RecordedRequest {
  const { operation, base, parameters, inPath, hasOthers, lookup } = route;
  const isDocumented = !hasOthers && isDocumentedRequest(operation, parameters);
  const isPerhapsOther = !Object.values(inPath).every(isUuid);
  return { operation, base, parameters, isDocumented, lookup, isPerhapsOther };
}

/** Whether a request has a value of which only the target knows whether it accepts it. */
export const isOpen = ({ operation, parameters }: RecordedRequest): boolean =>
  operation.parameters.some((one) => givenValue(parameters, one) !== undefined && !one.schema.enum);

/** Whether the contract demands that a request is answered with an error. */
export const mustBeRejected = ({ operation, parameters }: RecordedRequest): boolean =>
  rejectionRuleOf(operation, parameters) !== undefined;
