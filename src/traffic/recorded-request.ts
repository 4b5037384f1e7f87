import { hash } from 'node:crypto';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { isUuid } from '../../schemas/contract/identifiers.ts';
import { getParameterValue, isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { type Argument, createPublicArgument, describeRequest } from '../operations/request.ts';
import type { DescribedRequest } from '../redact/observation.ts';

export interface RecordedRequest {
  operation: Operation;
  /**
   * Address before the path of the operation, such as `https://staging.example.com/api`. Only responses of equal base are compared.
   */
  base: string;
  /** Decoded values of the recorded path and query, keyed by parameter name. They may identify a person. */
  parameters: Record<string, string>;
  /** True if the required parameters are present, each value is valid, and none is undeclared. */
  isDocumented: boolean;
  /** True if a parameter identifies a record, such as a card, which may not exist. */
  isLookup: boolean;
  /**
   * True if an identifier in the path is no UUID, so that the path may belong to another resource, such as `/customers/export.csv`.
   */
  isPerhapsOther: boolean;
}

/** Finds the operation that a URL requests. Undefined for any other URL, and for one with invalid percent-encoding. */
export type FindRequest = (url: URL) => RecordedRequest | undefined;

/**
 * Creates a function that recognizes requests of the operations by the path of their URL.
 * @param baseUrl address that must precede the path, such as `https://staging.example.com/api`; undefined accepts any address
 */
export function createRequestFinder(operations: Operation[], baseUrl?: string): FindRequest {
  const { origin, pathname } = baseUrl === undefined ? {} : new URL(baseUrl);
  const onlyBase = pathname === undefined ? undefined : origin + pathname.replace(/\/+$/, '');
  const routes = operations.map((operation) => ({ operation, pattern: buildPathPattern(operation.path) }));
  return (url) => {
    for (const { operation, pattern } of routes) {
      const [, precedingPath, ...values] = pattern.exec(url.pathname) ?? [];
      if (precedingPath === undefined) continue;
      const base = url.origin + precedingPath;
      if (onlyBase !== undefined && base !== onlyBase) continue;
      const pathValues = decodeValues(values);
      return pathValues && createRequest(operation, base, pathValues, [...url.searchParams]);
    }
    return undefined;
  };
}

/**
 * Builds a pattern for the path of an operation, such as `/cards/{uuid}`. Its first group captures what precedes the path, such as
 * `/api`, and each further group the value of a path parameter.
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
  return {
    operation,
    base,
    parameters,
    isDocumented,
    isLookup,
    isPerhapsOther: !pathValues.every(isUuid),
  };
}

/** Maximum number of cards, or of other records, that get a number. All further cards share the label `{card …}`. */
const maxNumbered = 10_000;

/** Creates a function that describes recorded requests for reports. The third card that appears is `{card 3}` in every request. */
export function createRequestDescriber(): (request: RecordedRequest) => DescribedRequest {
  const numbers = new Map<string, Map<string, number>>();
  const createLabel = (kind: string, value: string) => {
    const numbersOfKind = numbers.get(kind) ?? new Map<string, number>();
    numbers.set(kind, numbersOfKind);
    const hashOfValue = hash('sha256', value, 'base64');
    if (!numbersOfKind.has(hashOfValue) && numbersOfKind.size < maxNumbered)
      numbersOfKind.set(hashOfValue, numbersOfKind.size + 1);
    return `{${kind} ${numbersOfKind.get(hashOfValue) ?? '…'}}`;
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
 * Creates an argument for reports. Shows documented values (`enum`) and short numbers of a public parameter such as `limit`.
 * Replaces identifiers by `{card 3}`, and other values by the name of the parameter, such as `{limit}`.
 */
function createArgument(
  parameter: Parameter,
  value: string,
  createLabel: (kind: string, value: string) => string,
): Argument {
  const { name, schema, 'x-identifiers': variable } = parameter;
  if (schema.enum?.includes(value)) return createPublicArgument(value);
  const isPublic = parameter['x-data-classification'].sensitivity === 'public';
  if (variable === undefined && isPublic && /^\d{1,6}$/.test(value)) return createPublicArgument(value);
  const label = variable === undefined ? `{${name}}` : createLabel(formatKind(variable), value);
  return { value, label, shell: label };
}

const formatKind = (variable: string) =>
  variable
    .replace(/_IDS?$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
