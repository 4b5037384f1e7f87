import { hash } from 'node:crypto';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { isUuid } from '../../schemas/contract/identifiers.ts';
import { getParameterValue, isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { type Argument, createPublicArgument, describeRequest } from '../operations/request.ts';
import type { DescribedRequest } from '../redact/observation.ts';

/** Recorded request of an operation. Not redacted. */
export interface RecordedRequest {
  operation: Operation;
  /** Base URL, such as `https://staging.example.com/api`. Two responses are compared only if their requests have the same one. */
  base: string;
  /** Decoded values, which may identify a person, keyed by name. */
  parameters: Record<string, string>;
  /** True if the request has every required parameter, no undeclared or repeated one, and only valid values. */
  isDocumented: boolean;
  /** True if the request names a record, such as a card, which may not exist. */
  isLookup: boolean;
  /** True if a path parameter is no UUID: `/customers/export.csv` matches `/customers/{uuid}`, but may be another resource. */
  isPathAmbiguous: boolean;
}

/** Finds the operation and the parameters of a URL. Undefined if no operation matches, or if its percent-encoding is invalid. */
export type FindRequest = (url: URL) => RecordedRequest | undefined;

/** @param baseUrl base URL such as `https://staging.example.com/api`; undefined accepts every base URL */
export function createRequestFinder(operations: Operation[], baseUrl: string | undefined): FindRequest {
  const requiredBase = baseUrl === undefined ? undefined : normalizeBaseUrl(baseUrl);
  const routes = operations.map((operation) => ({ operation, pattern: buildPathPattern(operation.path) }));
  return (url) => {
    for (const { operation, pattern } of routes) {
      const { groups } = pattern.exec(url.pathname) ?? {};
      if (!groups) continue;
      const { precedingPath = '', ...encodedParameters } = groups;
      const base = url.origin + precedingPath;
      if (requiredBase !== undefined && base !== requiredBase) continue;
      const pathParameters = decodeValues(encodedParameters);
      return pathParameters && createRequest(operation, base, pathParameters, [...url.searchParams]);
    }
    return undefined;
  };
}

/** Converts `https://user@example.com/api/` to `https://example.com/api`. */
function normalizeBaseUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}

/** Builds a pattern for a path such as `/cards/{uuid}`, with named groups for each parameter and for a preceding path such as `/api`. */
function buildPathPattern(path: string): RegExp {
  const escapedPath = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pathWithGroups = escapedPath.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^(?<precedingPath>.*)${pathWithGroups}$`);
}

function decodeValues(values: Record<string, string>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    return undefined;
  }
}

function createRequest(
  operation: Operation,
  base: string,
  pathParameters: Record<string, string>,
  queryPairs: [name: string, value: string][],
): RecordedRequest {
  const isQueryParameter = (name: string) =>
    operation.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name);
  const queryParameters = Object.fromEntries(queryPairs.filter(([name]) => isQueryParameter(name)));
  const parameters = { ...pathParameters, ...queryParameters };
  // `queryParameters` lacks undeclared parameters, and has a repeated one only once. The contract documents neither (section 4).
  const isQueryDocumented = queryPairs.length === Object.keys(queryParameters).length;
  const isDocumented = isQueryDocumented && isDocumentedRequest(operation, parameters);
  const isLookup = operation.parameters.some(
    (parameter) => parameter['x-identifiers'] && getParameterValue(parameters, parameter),
  );
  const isPathAmbiguous = !Object.values(pathParameters).every(isUuid);
  return { operation, base, parameters, isDocumented, isLookup, isPathAmbiguous };
}

/** Maximum number of labels for each kind of identifier. All cards after `{card 10000}` share the label `{card …}`. */
const maxLabelsPerKind = 10_000;

/** Creates a function that describes requests without identifiers: `{card 3}` replaces the third recorded card in every request. */
export function createRequestDescriber(): (request: RecordedRequest) => DescribedRequest {
  const labelByKindAndHash = new Map<string, string>();
  const labelCountByKind = new Map<string, number>();
  const getOrCreateLabel = (kind: string, identifier: string) => {
    const kindAndHash = `${kind} ${hash('sha256', identifier, 'base64')}`;
    const existingLabel = labelByKindAndHash.get(kindAndHash);
    if (existingLabel) return existingLabel;
    const labelNumber = (labelCountByKind.get(kind) ?? 0) + 1;
    if (labelNumber > maxLabelsPerKind) return `{${kind} …}`;
    labelCountByKind.set(kind, labelNumber);
    labelByKindAndHash.set(kindAndHash, `{${kind} ${labelNumber}}`);
    return `{${kind} ${labelNumber}}`;
  };
  return ({ operation, parameters }) => {
    const presentParameters = operation.parameters.filter(({ name }) => Object.hasOwn(parameters, name));
    const shownArguments = presentParameters.map((parameter) => [
      parameter.name,
      createArgument(parameter, parameters[parameter.name] ?? '', getOrCreateLabel),
    ]);
    return describeRequest(operation, Object.fromEntries(shownArguments));
  };
}

/**
 * Creates an argument for reports. An `enum` value is shown, and of a public parameter also a number of up to six digits. A label
 * replaces any other value: `{card 3}` an identifier, and the name of the parameter, such as `{offset}`, anything else.
 * @param getLabel returns a label such as `{card 3}` for the kind `card` and an identifier
 */
function createArgument(
  parameter: Parameter,
  value: string,
  getLabel: (kind: string, identifier: string) => string,
): Argument {
  const { name, schema, 'x-identifiers': variable } = parameter;
  const isEnumValue = schema.enum?.includes(value) ?? false;
  const isPublic = parameter['x-data-classification'].sensitivity === 'public';
  const isPublicNumber = variable === undefined && isPublic && /^\d{1,6}$/.test(value);
  if (isEnumValue || isPublicNumber) return createPublicArgument(value);
  const label = variable === undefined ? `{${name}}` : getLabel(formatIdentifierKind(variable), value);
  return { value, label, shell: label };
}

/** Converts the name of a variable with identifiers to their kind: `CARD_IDS` becomes `card`. */
const formatIdentifierKind = (variable: string) =>
  variable
    .replace(/_IDS?$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
