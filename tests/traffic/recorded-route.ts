import type { Operation } from '../../schemas/contract/contract.ts';
import { givenValue } from '../../schemas/contract/documented-request.ts';

/** Which operation a recorded request is of, with its raw parameters. */
export interface RecordedRoute {
  operation: Operation;
  /** The address below which its path stands. */
  base: string;
  parameters: Record<string, string>;
  inPath: Record<string, string>;
  /** Whether it has parameters that the contract does not name, or one of them twice. */
  hasOthers: boolean;
  /** Whether it names a record, which may not exist. */
  lookup: boolean;
}

const segmentsOf = (path: string) => path.split('/').slice(1);

/** Recognizes requests of the operations by their paths: below any address, or only below this one. */
export function routeFinder(
  operations: Operation[],
  baseUrl?: string,
): (url: URL) => RecordedRoute | undefined {
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
      const below = url.origin + segments.slice(0, before).join('/');
      if (values) return routeTo(operation, below, values, url.searchParams);
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

function routeTo(
  operation: Operation,
  base: string,
  inPath: Record<string, string>,
  query: URLSearchParams,
): RecordedRoute {
  const pairs = [...query];
  const parameters = {
    ...inPath,
    ...Object.fromEntries(pairs.filter(([name]) => isInQuery(operation, name))),
  };
  const hasOthers = pairs.length !== Object.keys(parameters).length - Object.keys(inPath).length;
  const lookup = operation.parameters.some((one) => one['x-identifiers'] && givenValue(parameters, one));
  return { operation, base, parameters, inPath, hasOthers, lookup };
}

const isInQuery = ({ parameters }: Operation, name: string) =>
  parameters.some((one) => one.in === 'query' && one.name === name);
