import { isPublic } from '../../schemas/contract/classification.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { memoize } from '../../schemas/memoize.ts';
import type { RequestOverrides } from '../client/request-headers.ts';
import { shortened } from './probes.ts';

const routeOf = memoize((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`));

/** The operation that a path belongs to. */
export const operationAt = ({ operations }: Contract, route: string): Operation | undefined =>
  operations.find(({ path }) => routeOf(path).test(route));

/** What a request differs in from the usual ones, for people. */
export function requestNote({ accept, anonymous, again }: RequestOverrides = {}): string {
  const shown = (accept ? ` with Accept: ${accept}` : '') + (anonymous ? ' without credentials' : '');
  return again ? `${shown}, asked again` : shown;
}

/** A path as it may be written: parameters whose values are not public are named alone. */
export function redactUrl(contract: Contract, path: string): string {
  const [route = '', query = ''] = path.split('?');
  const { path: described = route, parameters = [] } = operationAt(contract, route) ?? {};
  const hidden = parameters.filter((one) => !isPublic(one));
  const pairs = query.split('&').map((pair) =>
    redactParameter(
      pair,
      hidden.map(({ name }) => name),
    ),
  );
  return query ? `${described}?${pairs.join('&')}` : described;
}

function redactParameter(pair: string, hidden: string[]): string {
  const [name = '', value = ''] = pair.split('=');
  return value && hidden.includes(name) ? `${name}={${name}}` : shortened(pair);
}
