import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { validatorOf } from '../../schemas/contract/validators.ts';
import { rejectionRuleOf } from '../../schemas/judge/rules.ts';
import { readsLikeWord } from '../redaction/describe-value.ts';

/** A recorded request of an operation. Parameters are raw. */
export interface RecordedRequest {
  operation: Operation;
  parameters: Record<string, string>;
  /** Whether the contract documents such a request: it has all parameters that it must have, and each has a value that fits. */
  isDocumented: boolean;
  /** Whether it names a record, which may not exist. */
  lookup: boolean;
  /** Whether it may be of another resource, whose name stands where a record is named: `/customers/count`. */
  isPerhapsOther: boolean;
}

export type FindRequest = (url: URL) => RecordedRequest | undefined;

const segmentsOf = (path: string) => path.split('/').slice(1);

/** Recognizes requests of the operations by their paths: below any address, or only below this one. */
export function requestFinder(operations: Operation[], baseUrl?: string): FindRequest {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const prefix = base && segmentsOf(base.pathname.replace(/\/+$/, ''));
  const routes = operations.map((operation) => ({ operation, route: segmentsOf(operation.path) }));
  return (url) => {
    if (base && url.origin !== base.origin) return undefined;
    const segments = segmentsOf(url.pathname);
    for (const { operation, route } of routes) {
      const before = segments.length - route.length;
      if (before < 0 || (prefix && !isSame(segments.slice(0, before), prefix))) continue;
      const values = valuesOf(route, segments.slice(before));
      if (values) return readRequest(operation, values, url.searchParams);
    }
    return undefined;
  };
}

const isSame = (some: string[], others: string[]) => some.join('/') === others.join('/');

/** Values of the parameters in a path, if it is one of the route. */
function valuesOf(route: string[], segments: string[]): Record<string, string> | undefined {
  const values: Record<string, string> = {};
  for (const [index, step] of route.entries()) {
    const segment = segments[index] ?? '';
    const [, name] = /^\{(\w+)\}$/.exec(step) ?? [];
    const value = name === undefined ? undefined : decoded(segment);
    if (name !== undefined && value) values[name] = value;
    else if (step !== segment) return undefined;
  }
  return values;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function readRequest(
  operation: Operation,
  inPath: Record<string, string>,
  query: URLSearchParams,
): RecordedRequest {
  const pairs = [...query];
  const parameters = {
    ...inPath,
    ...Object.fromEntries(pairs.filter(([name]) => isInQuery(operation, name))),
  };
  const known = pairs.length === Object.keys(parameters).length - Object.keys(inPath).length;
  const identifiers = operation.parameters.filter(
    (one) => one['x-identifiers'] && givenValue(parameters, one),
  );
  return {
    operation,
    parameters,
    isDocumented: known && operation.parameters.every((one) => fits(operation, one, parameters)),
    lookup: identifiers.length > 0,
    isPerhapsOther: Object.values(inPath).some((value) => readsLikeWord(value) && !/\d/.test(value)),
  };
}

const isInQuery = ({ parameters }: Operation, name: string) =>
  parameters.some((one) => one.in === 'query' && one.name === name);

const givenValue = (parameters: Record<string, string>, { name }: Parameter) =>
  Object.hasOwn(parameters, name) ? parameters[name] : undefined;

/** Whether a parameter may have the value that it has, or may be left out. */
function fits(operation: Operation, parameter: Parameter, parameters: Record<string, string>): boolean {
  const value = givenValue(parameters, parameter);
  if (value === undefined) return !parameter.required;
  return value !== '' && validatorOf(parameter.schema, `${operation.id}/${parameter.name}`)(value);
}

/** Whether a request has a value of which only the target knows whether it accepts it. */
export const isOpen = ({ operation, parameters }: RecordedRequest): boolean =>
  operation.parameters.some((one) => givenValue(parameters, one) !== undefined && !one.schema.enum);

/** Whether the contract demands that a request is answered with an error. */
export const mustBeRejected = ({ operation, parameters }: RecordedRequest): boolean =>
  rejectionRuleOf(operation, parameters) !== undefined;
