import { hash } from 'node:crypto';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { isUuid } from '../../schemas/contract/identifiers.ts';
import { getParameterValue, isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { type Argument, describeRequest, literal } from '../operations/request.ts';
import type { Request } from '../redact/observation.ts';

/** Recorded request of an operation. The values of `parameters` are as recorded, and may identify a person. */
export interface RecordedRequest {
  operation: Operation;
  /** Address before the path of the operation. Only requests with equal base are compared. */
  base: string;
  parameters: Record<string, string>;
  /** True if the contract documents the request: required parameters are present, and each value is valid. */
  isDocumented: boolean;
  /** True if a parameter identifies a record, such as a card, which may not exist. */
  isLookup: boolean;
  /** True if the path may belong to another resource, such as `/customers/export.csv`. */
  isPerhapsOther: boolean;
}

/** Finds the operation that a URL requests; undefined for any other URL. */
export type FindRequest = (url: URL) => RecordedRequest | undefined;

/** Creates a function that recognizes requests of the operations by their path, below `baseUrl` only or, if undefined, anywhere. */
export function createRequestFinder(operations: Operation[], baseUrl?: string): FindRequest {
  const { origin, pathname } = baseUrl === undefined ? {} : new URL(baseUrl);
  const onlyBase = pathname === undefined ? undefined : origin + pathname.replace(/\/+$/, '');
  const routes = operations.map((operation) => ({ operation, pattern: buildPathPattern(operation.path) }));
  return (url) => {
    for (const { operation, pattern } of routes) {
      const [, precedingPath, ...values] = pattern.exec(url.pathname) ?? [];
      const base = url.origin + precedingPath;
      if (precedingPath === undefined || (onlyBase !== undefined && base !== onlyBase)) continue;
      const pathValues = decodeValues(values);
      return pathValues && createRequest(operation, base, pathValues, [...url.searchParams]);
    }
    return undefined;
  };
}

/** Builds a pattern for a path such as `/cards/{uuid}`. Captures what precedes the path, and then the value of each parameter. */
const buildPathPattern = (path: string) =>
  new RegExp(`^(.*)${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')}$`);

/** Decodes percent-encoded values; undefined if one is not valid. */
function decodeValues(values: string[]): string[] | undefined {
  try {
    return values.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Creates the request of an operation from its path values, in the order of the path, and its query. */
function createRequest(
  operation: Operation,
  base: string,
  pathValues: string[],
  query: [name: string, value: string][],
): RecordedRequest {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const isQueryParameter = (name: string) =>
    operation.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name);
  const queryParameters = Object.fromEntries(query.filter(([name]) => isQueryParameter(name)));
  const parameters = {
    ...Object.fromEntries(names.map((name, index) => [name, pathValues[index] ?? ''])),
    ...queryParameters,
  };
  // `queryParameters` lacks undeclared parameters, and has a repeated one only once.
  const hasUndocumentedQuery = query.length !== Object.keys(queryParameters).length;
  const isDocumented = !hasUndocumentedQuery && isDocumentedRequest(operation, parameters);
  const isLookup = operation.parameters.some(
    (parameter) => parameter['x-identifiers'] && getParameterValue(parameters, parameter),
  );
  return {
    operation,
    base,
    parameters,
    isDocumented,
    isLookup,
    isPerhapsOther: !pathValues.every(isUuid),
  };
}

/** Maximum number of numbered identifiers of a kind, such as card; further ones share the label `{card …}`. */
const maxNumbered = 10_000;

/**
 * Creates a function that describes recorded requests for reports, without their identifiers: the third card that appears is
 * `{card 3}` in every request. Keeps only a hash of each identifier.
 */
export function createRequestDescriber(): (request: RecordedRequest) => Request {
  const numbers = new Map<string, Map<string, number>>();
  const createLabel = (kind: string, value: string) => {
    const numbersOfKind = numbers.get(kind) ?? new Map<string, number>();
    numbers.set(kind, numbersOfKind);
    const key = hash('sha256', value, 'base64');
    if (!numbersOfKind.has(key) && numbersOfKind.size < maxNumbered)
      numbersOfKind.set(key, numbersOfKind.size + 1);
    return `{${kind} ${numbersOfKind.get(key) ?? '…'}}`;
  };
  return ({ operation, parameters }) => {
    const presentParameters = operation.parameters.filter(({ name }) => Object.hasOwn(parameters, name));
    const shownArguments = presentParameters.map((parameter) => [
      parameter.name,
      createArgument(parameter, parameters[parameter.name] ?? '', createLabel),
    ]);
    return describeRequest(operation, Object.fromEntries(shownArguments));
  };
}

/**
 * Creates the argument of a parameter for reports: documented values, and numbers of up to six digits of public parameters such as
 * `limit`, are shown; any other value is replaced by a label such as `{card 3}`.
 */
function createArgument(
  parameter: Parameter,
  value: string,
  createLabel: (kind: string, value: string) => string,
): Argument {
  const { name, schema, 'x-identifiers': variable } = parameter;
  if (schema.enum?.includes(value)) return literal(value);
  const isPublic = parameter['x-data-classification'].sensitivity === 'public';
  if (variable === undefined && isPublic && /^\d{1,6}$/.test(value)) return literal(value);
  const label = variable === undefined ? `{${name}}` : createLabel(formatKind(variable), value);
  return { value, label, shell: label };
}

/** Formats the kind of a record from the variable of its identifiers: "card" for `CARD_IDS`. */
const formatKind = (variable: string) =>
  variable
    .replace(/_IDS?$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
