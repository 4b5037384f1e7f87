import { hash } from 'node:crypto';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { isUuid } from '../../schemas/contract/identifiers.ts';
import { getParameterValue, isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { type Argument, createPublicArgument, describeRequest } from '../operations/request.ts';
import type { DescribedRequest } from '../redact/observation.ts';

/** Recorded request of an operation. Not redacted. */
export interface RecordedRequest {
  operation: Operation;
  /**
   * URL without the path of the operation, such as `https://staging.example.com/api`. Responses of different bases are not
   * compared.
   */
  base: string;
  /** Decoded values, which may identify a person, keyed by name. */
  parameters: Record<string, string>;
  /** True if all required parameters are there, no value is invalid, and no parameter undeclared. */
  isDocumented: boolean;
  /** True if the request names a record, such as a card, which may not exist. */
  isLookup: boolean;
  /** True if a path parameter is no UUID: the path may belong to another resource, such as `/customers/export.csv`. */
  isPerhapsOther: boolean;
}

/** Recognizes the operation and the parameters of a URL; undefined if it requests no operation, or has invalid percent-encoding. */
export type FindRequest = (url: URL) => RecordedRequest | undefined;

/** @param baseUrl base URL such as `https://staging.example.com/api`; undefined accepts any */
export function createRequestFinder(operations: Operation[], baseUrl?: string): FindRequest {
  const requiredBase = baseUrl === undefined ? undefined : normalizeBaseUrl(baseUrl);
  const routes = operations.map((operation) => ({ operation, pattern: buildPathPattern(operation.path) }));
  return (url) => {
    for (const { operation, pattern } of routes) {
      const [, precedingPath, ...values] = pattern.exec(url.pathname) ?? [];
      if (precedingPath === undefined) continue;
      const base = url.origin + precedingPath;
      if (requiredBase !== undefined && base !== requiredBase) continue;
      const pathValues = decodeValues(values);
      return pathValues && createRequest(operation, base, pathValues, [...url.searchParams]);
    }
    return undefined;
  };
}

/** Converts `https://user@example.com/api/` to `https://example.com/api`. */
function normalizeBaseUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * Builds a pattern for a path such as `/cards/{uuid}`. Group 1 is the path before it, such as `/api`; others are values of path
 * parameters.
 */
function buildPathPattern(path: string): RegExp {
  const escapedPath = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^(.*)${escapedPath.replace(/\{\w+\}/g, '([^/]+)')}$`);
}

function decodeValues(values: string[]): string[] | undefined {
  try {
    return values.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

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
  // `queryParameters` lacks undeclared parameters, and has a repeated one only once. The contract documents neither (section 4).
  const isQueryDeclared = query.length === Object.keys(queryParameters).length;
  const isDocumented = isQueryDeclared && isDocumentedRequest(operation, parameters);
  const isLookup = operation.parameters.some(
    (parameter) => parameter['x-identifiers'] && getParameterValue(parameters, parameter),
  );
  const isPerhapsOther = !pathValues.every(isUuid);
  return { operation, base, parameters, isDocumented, isLookup, isPerhapsOther };
}

/** Maximum number of labels for each kind of identifier. All cards after `{card 10000}` share the label `{card …}`. */
const maxLabelsPerKind = 10_000;

/**
 * Creates a function that describes recorded requests for reports. `{card 3}` stands for the third card that occurs, in every
 * request.
 */
export function createRequestDescriber(): (request: RecordedRequest) => DescribedRequest {
  // Number of each identifier, keyed by its kind, such as `card`, and then by its hash.
  const numbersByKind = new Map<string, Map<string, number>>();
  const createLabel = (kind: string, value: string) => {
    const numbersByHash = numbersByKind.get(kind) ?? new Map<string, number>();
    numbersByKind.set(kind, numbersByHash);
    const hashOfValue = hash('sha256', value, 'base64');
    const isNew = !numbersByHash.has(hashOfValue);
    if (isNew && numbersByHash.size < maxLabelsPerKind)
      numbersByHash.set(hashOfValue, numbersByHash.size + 1);
    return `{${kind} ${numbersByHash.get(hashOfValue) ?? '…'}}`;
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
 * Creates an argument that shows a value only if it is in the `enum`, or is a number of up to six digits of a public parameter. For
 * any other value, shows a label: `{card 3}` for an identifier, or else the name of the parameter, such as `{offset}`.
 * @param createLabel returns the label of an identifier of a kind such as `card`
 */
function createArgument(
  parameter: Parameter,
  value: string,
  createLabel: (kind: string, value: string) => string,
): Argument {
  const { name, schema, 'x-identifiers': variable } = parameter;
  if (schema.enum?.includes(value)) return createPublicArgument(value);
  const isIdentifier = variable !== undefined;
  const isPublic = parameter['x-data-classification'].sensitivity === 'public';
  const isShortNumber = /^\d{1,6}$/.test(value);
  if (!isIdentifier && isPublic && isShortNumber) return createPublicArgument(value);
  const label = isIdentifier ? createLabel(formatKind(variable), value) : `{${name}}`;
  return { value, label, shell: label };
}

/** Formats what a variable identifies: `CARD_IDS` becomes `card`. */
const formatKind = (variable: string) =>
  variable
    .replace(/_IDS?$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
