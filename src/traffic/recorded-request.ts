import { hash } from 'node:crypto';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { isUuid } from '../../schemas/contract/identifiers.ts';
import { getParameterValue, isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { type Argument, literal, requestOf } from '../ask/request.ts';
import type { Request } from '../redact/observation.ts';

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
  const { origin, pathname } = baseUrl === undefined ? {} : new URL(baseUrl);
  const only = pathname === undefined ? undefined : origin + pathname.replace(/\/+$/, '');
  const routes = operations.map((operation) => ({ operation, pattern: patternOf(operation.path) }));
  return (url) => {
    for (const { operation, pattern } of routes) {
      const [, before, ...values] = pattern.exec(url.pathname) ?? [];
      const base = url.origin + before;
      if (before === undefined || (only !== undefined && base !== only)) continue;
      const inPath = decoded(values);
      return inPath && requestTo(operation, base, inPath, [...url.searchParams]);
    }
    return undefined;
  };
}

/** What stands before a path, and the values of its parameters. */
const patternOf = (path: string) =>
  new RegExp(`^(.*)${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')}$`);

function decoded(values: string[]): string[] | undefined {
  try {
    return values.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function requestTo(
  operation: Operation,
  base: string,
  inPath: string[],
  query: [name: string, value: string][],
): RecordedRequest {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const isKnown = (name: string) =>
    operation.parameters.some((one) => one.in === 'query' && one.name === name);
  const known = Object.fromEntries(query.filter(([name]) => isKnown(name)));
  const parameters = { ...Object.fromEntries(names.map((name, at) => [name, inPath[at] ?? ''])), ...known };
  // One that the contract does not name, or one that is given twice.
  const hasOthers = query.length !== Object.keys(known).length;
  const isDocumented = !hasOthers && isDocumentedRequest(operation, parameters);
  const lookup = operation.parameters.some(
    (one) => one['x-identifiers'] && getParameterValue(parameters, one),
  );
  return { operation, base, parameters, isDocumented, lookup, isPerhapsOther: !inPath.every(isUuid) };
}

/** Identifiers of one kind that have a number; the others share a label. */
const maxNumbered = 10_000;

/** Describes requests as they may be shown: identifiers by the order in which they turn up, `{card 3}`. Of each only a hash is kept. */
export function requestDescriber(): (request: RecordedRequest) => Request {
  const numbers = new Map<string, Map<string, number>>();
  const labelOf = (kind: string, value: string) => {
    const own = numbers.get(kind) ?? new Map<string, number>();
    numbers.set(kind, own);
    const key = hash('sha256', value, 'base64');
    if (!own.has(key) && own.size < maxNumbered) own.set(key, own.size + 1);
    return `{${kind} ${own.get(key) ?? '…'}}`;
  };
  return ({ operation, parameters }) => {
    const own = operation.parameters.filter(({ name }) => Object.hasOwn(parameters, name));
    const shown = own.map((one) => [one.name, argumentOf(one, parameters[one.name] ?? '', labelOf)]);
    return requestOf(operation, Object.fromEntries(shown));
  };
}

/** A value of a parameter as it may be shown. Numbers of a page and documented values may, others may not. */
function argumentOf(
  parameter: Parameter,
  value: string,
  labelOf: (kind: string, value: string) => string,
): Argument {
  const { name, schema, 'x-identifiers': variable } = parameter;
  if (schema.enum?.includes(value)) return literal(value);
  const isPublic = parameter['x-data-classification'].sensitivity === 'public';
  if (variable === undefined && isPublic && /^\d{1,6}$/.test(value)) return literal(value);
  const label = variable === undefined ? `{${name}}` : labelOf(kindOf(variable), value);
  return { value, label, shell: label };
}

/** `CARD_IDS` are cards: "card". */
const kindOf = (variable: string) =>
  variable
    .replace(/_IDS?$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
