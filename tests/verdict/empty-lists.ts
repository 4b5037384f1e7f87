import type { Operation } from '../../schemas/contract/contract.ts';
import { addressOf, nodesOf } from '../../schemas/contract/nodes.ts';
import type { Observation } from '../redaction/observation.ts';

/** Addresses of a list, and of its elements. */
type List = [list: string, element: string];

/** The lists that a payload consists of. */
export function listsOf(operation: Operation): List[] {
  const { id, envelope } = operation;
  return nodesOf(operation)
    .filter(({ schema, pointer, name }) => schema.items && pointer === `${envelope.payload}/${name}`)
    .map(({ pointer }) => [addressOf(id, pointer), addressOf(id, `${pointer}/*`)]);
}

/** Whether a list of a response has no element, though the request names no page. */
export const returnsEmptyList = (lists: List[], { visits, parameters }: Observation): boolean =>
  !Object.hasOwn(parameters, 'offset') &&
  lists.some(([list, element]) => (visits[list] ?? 0) > 0 && !visits[element]);
