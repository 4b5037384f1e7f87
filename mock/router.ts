import type { IncomingMessage } from 'node:http';
import type { Choices } from './choices.ts';
import { type Operation, operations, type Parameters } from './operations.ts';

/** A request, and the operation that its path names, if it names one. */
export interface Routed {
  operation: Operation | undefined;
  /** Values that stand in the path. */
  values: Parameters;
  request: IncomingMessage;
  /** As it was sent, query included. */
  url: string;
}

const patterns = operations.map((operation): [Operation, RegExp] => [
  operation,
  new RegExp(`^${operation.path.replace(/:(\w+)/, '(?<$1>[^/]+)')}$`),
]);

/** Finds the operation of a request by its path, for any method. */
export function routeOf(request: IncomingMessage, choices: Choices): Routed {
  const { url = '' } = request;
  const path = pathBelow(url, choices);
  for (const [operation, pattern] of patterns) {
    const values = valuesIn(pattern.exec(path));
    if (values) return { operation, values, request, url };
  }
  return { operation: undefined, values: {}, request, url };
}

function pathBelow(url: string, { prefix, trailingSlash }: Choices): string {
  const [path = ''] = url.split('?');
  if (!path.startsWith(prefix)) return '';
  const below = path.slice(prefix.length);
  return trailingSlash === 'accepted' ? below.replace(/\/$/, '') : below;
}

/** The values that stand in a path; undefined where it is another one, or percent-encoded wrongly. */
function valuesIn(match: RegExpExecArray | null): Parameters | undefined {
  if (!match) return undefined;
  const groups = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(groups.map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}
