import type { Fault } from '../../mock/faults/fault.ts';
import { faults } from '../../mock/faults/index.ts';
import type { Alter } from '../../mock/server.ts';
import { derivedFaults } from './derived.ts';

/** Every fault of the catalogue: written by hand, and derived from the schema nodes. */
export const allFaults: Fault[] = [...faults, ...derivedFaults()];

const operationOf = ({ breaks }: Fault) => breaks.slice(0, breaks.indexOf('/'));

/**
 * Faults put together so that a provider has at most one in each operation. What goes red in an operation is then
 * the work of one fault, and four are proved by one run.
 */
export function batches(): Fault[][] {
  const queues = new Map<string, Fault[]>();
  for (const fault of allFaults) {
    const key = `${fault.undeclared ?? ''}${operationOf(fault)}`;
    queues.set(key, [...(queues.get(key) ?? []), fault]);
  }
  return [plain, undeclared].flatMap((wanted) =>
    inTurn([...queues].filter(wanted).map(([, queue]) => queue)),
  );
}

const undeclared = ([key]: [string, Fault[]]) => key.startsWith('true');
const plain = (queue: [string, Fault[]]) => !undeclared(queue);

function inTurn(queues: Fault[][]): Fault[][] {
  const longest = Math.max(...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => queues.flatMap((queue) => queue[index] ?? []));
}

/** One provider with several faults. */
export const together =
  (members: Fault[]): Alter =>
  async (answer, request) => {
    let altered = answer;
    for (const { alter } of members) altered = await alter(altered, request);
    return altered;
  };
