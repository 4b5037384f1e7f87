import { hash } from 'node:crypto';
import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { isUuid } from '../../schemas/contract/identifiers.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { getOwnValue } from '../../schemas/json.ts';
import {
  type Argument,
  type Arguments,
  createPublicArgument,
  describeRequest,
} from '../operations/request.ts';
import type { DescribedRequest } from '../redact/observation.ts';

/** Recorded request of an operation. The values of its parameters are not redacted. */
export interface RecordedRequest {
  operation: Operation;
  /** Base URL, such as `https://staging.example.com/api`. */
  base: string;
  parameters: Record<string, string>;
  /** True if the parameters and their values conform to the contract. */
  isDocumented: boolean;
  /** True if a parameter is an identifier, such as a card id. */
  isLookup: boolean;
  /**
   * True if a path parameter is not a UUID. For example, `/customers/export.csv` has the form of a lookup, but may be a request
   * for a file.
   */
  isPathAmbiguous: boolean;
}

/** Finds the operation and the parameters of a URL. Returns undefined if the URL belongs to no operation. */
export type FindRequest = (url: URL) => RecordedRequest | undefined;

/**
 * Creates a function that finds the operation and the parameters of a URL.
 * @param baseUrl base URL that the requests must have. Undefined accepts every base URL.
 */
export function createRequestFinder(operations: Operation[], baseUrl: string | undefined): FindRequest {
  const requiredBase = baseUrl === undefined ? undefined : normalizeBaseUrl(baseUrl);
  const routes = operations.map((operation) => ({ operation, pattern: buildPathPattern(operation.path) }));
  return (url) => {
    for (const { operation, pattern } of routes) {
      const groups = pattern.exec(url.pathname)?.groups;
      if (!groups) continue;
      const { precedingPath = '', ...encodedParameters } = groups;
      const base = url.origin + precedingPath;
      const hasOtherBase = requiredBase !== undefined && base !== requiredBase;
      if (hasOtherBase) continue;
      const pathParameters = decodeValues(encodedParameters);
      // The path has an invalid percent-encoding.
      if (!pathParameters) return undefined;
      return createRequest(operation, base, pathParameters, [...url.searchParams]);
    }
    return undefined;
  };
}

function normalizeBaseUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}

function buildPathPattern(path: string): RegExp {
  const escapedPath = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pathWithGroups = escapedPath.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  // For `/cards/{id}`: `^(?<precedingPath>.*)/cards/(?<id>[^/]+)$`.
  return new RegExp(`^(?<precedingPath>.*)${pathWithGroups}$`);
}

function decodeValues(encodedValues: Record<string, string>): Record<string, string> | undefined {
  const values: Record<string, string> = {};
  try {
    for (const [name, encodedValue] of Object.entries(encodedValues))
      values[name] = decodeURIComponent(encodedValue);
    return values;
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
  const queryParameters: Record<string, string> = {};
  for (const [name, value] of queryPairs) if (isQueryParameter(name)) queryParameters[name] = value;
  const parameters = { ...pathParameters, ...queryParameters };
  // The numbers differ if a parameter is undeclared or repeated, which the contract does not document (section 4).
  const isQueryDocumented = queryPairs.length === Object.keys(queryParameters).length;
  const isDocumented = isQueryDocumented && isDocumentedRequest(operation, parameters);
  const isLookup = operation.parameters.some(
    (parameter) => parameter['x-identifiers'] && getOwnValue(parameters, parameter.name),
  );
  const isPathAmbiguous = !Object.values(pathParameters).every(isUuid);
  return { operation, base, parameters, isDocumented, isLookup, isPathAmbiguous };
}

/** Maximum number of labels such as `{card 3}` for one kind of identifier. All further identifiers share the label `{card …}`. */
const maxLabelsPerKind = 10_000;

type GetLabel = (kind: string, identifier: string) => string;

function createLabeler(): GetLabel {
  const labelByKindAndHash = new Map<string, string>();
  const labelCountByKind = new Map<string, number>();
  return (kind, identifier) => {
    const kindAndHash = `${kind} ${hash('sha256', identifier, 'base64')}`;
    const existingLabel = labelByKindAndHash.get(kindAndHash);
    if (existingLabel) return existingLabel;
    const labelNumber = (labelCountByKind.get(kind) ?? 0) + 1;
    if (labelNumber > maxLabelsPerKind) return `{${kind} …}`;
    const label = `{${kind} ${labelNumber}}`;
    labelCountByKind.set(kind, labelNumber);
    labelByKindAndHash.set(kindAndHash, label);
    return label;
  };
}

/**
 * Creates a function that describes recorded requests for reports. The function shows a label such as `{card 3}` in place of an
 * identifier. An identifier keeps its label in later calls.
 */
export function createRequestDescriber(): (request: RecordedRequest) => DescribedRequest {
  const getLabel = createLabeler();
  return ({ operation, parameters }) => {
    const shownArguments: Arguments = {};
    for (const parameter of operation.parameters) {
      const { name } = parameter;
      if (!Object.hasOwn(parameters, name)) continue;
      shownArguments[name] = createArgument(parameter, parameters[name] ?? '', getLabel);
    }
    return describeRequest(operation, shownArguments);
  };
}

function createArgument(parameter: Parameter, value: string, getLabel: GetLabel): Argument {
  const { name, schema, 'x-identifiers': variable } = parameter;
  const isEnumValue = schema.enum?.includes(value) ?? false;
  const isPublicNumber = variable === undefined && isPublic(parameter) && /^\d{1,6}$/.test(value);
  if (isEnumValue || isPublicNumber) return createPublicArgument(value);
  const label = variable === undefined ? `{${name}}` : getLabel(formatIdentifierKind(variable), value);
  // Reports must not show the value, so the label also takes its place in curl commands (`shell`).
  return { value, label, shell: label };
}

/** Converts `CARD_IDS` to `card`. */
const formatIdentifierKind = (variable: string) =>
  variable
    .replace(/_IDS?$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
