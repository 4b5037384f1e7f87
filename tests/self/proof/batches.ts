import type { Alter } from '../../../mock/server.ts';
import { derivedFaults, parameterFaults } from './derived.ts';
import type { Fault } from './faults/fault.ts';
import { faults } from './faults/index.ts';
import { relations } from './faults/relations.ts';
import { repeatedAnswers } from './faults/relations-of-cards-and-rules.ts';
import { changes, onlyFor, type RequestSelector, requestSelectors } from './request-selectors.ts';
import { variants } from './variants/index.ts';
import { aspects, inTurn, type Variant } from './variants/variant.ts';

/** Faults that the schema nodes suggest. */
export const derived = derivedFaults();

/** Every fault of the catalogue: written by hand, and derived from the schema nodes. */
export const allFaults: Fault[] = [...faults, ...parameterFaults(faults), ...derived];

/** A fault in its place: in all answers of its operation, or only in those to a selector. */
export interface Placed {
  fault: Fault;
  selector?: RequestSelector | undefined;
}

export const operationOf = ({ breaks }: Pick<Fault, 'breaks'>) => breaks.slice(0, breaks.indexOf('/'));

/**
 * Faults put together so that a provider has at most one in each operation, or one in each selector of it. What goes red
 * there is then the work of one fault, and a dozen are proved by one run. A fault between answers of two operations
 * has none beside it in these.
 */
export function batches(): Placed[][] {
  const plain = allFaults.filter((fault) => !fault.undeclared && !relations.includes(fault));
  const undeclared = allFaults.filter((fault) => fault.undeclared);
  return [...together(plain), ...together(undeclared), ...relationBatches()];
}

/** Answers that change show in one operation alone: beside them there may be a fault between others. */
function relationBatches(): Placed[][] {
  const between = relations.filter((fault) => !repeatedAnswers.includes(fault));
  return interleaved([between, repeatedAnswers]).map((some) => some.map((fault) => ({ fault })));
}

function together(some: Fault[]): Placed[][] {
  const queues = [...new Set(some.map(operationOf))].map((operation, index) => {
    const own = some.filter((fault) => operationOf(fault) === operation);
    const alone = own.filter((fault) => !derived.includes(fault)).map((fault) => [{ fault }]);
    return [...rotated(alone, index), ...packed(own.filter((fault) => derived.includes(fault)))];
  });
  return interleaved(queues).map((batch) => batch.flat());
}

/** A web page in place of all responses would be no fault of the API: operations have the same fault by turns. */
const rotated = <T>(queue: T[], by: number): T[] => [...queue.slice(by), ...queue.slice(0, by)];

/** The first of each queue, then the second of each, and so on. */
function interleaved<T>(queues: T[][]): T[][] {
  const longest = Math.max(...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    queues.flatMap((queue) => queue.slice(index, index + 1)),
  );
}

/** Variants put together so that each differs in something else; what differs in several things stands alone. */
export function variantBatches(): Variant[][] {
  const queues = aspects.map((wantedAspect) => variants.filter(({ aspect }) => aspect === wantedAspect));
  return [...interleaved(queues), ...variants.filter(({ aspect }) => !aspect).map((variant) => [variant])];
}

/** Each fault goes to the first batch in which there is a selector free that it shows in. */
function packed(some: Fault[]): Placed[][] {
  const packs: (Placed & { selector: RequestSelector })[][] = [];
  for (const fault of some) {
    const own = requestSelectors.filter(({ operation }) => operation === operationOf(fault));
    const free = (pack: Placed[]) =>
      own.find(
        (selector) => pack.every((placed) => placed.selector !== selector) && changes(fault, selector),
      );
    const pack = packs.find(free) ?? [];
    const selector = free(pack);
    if (!selector) throw new Error(`no request of the proof shows the fault "${fault.name}"`);
    if (pack.push({ fault, selector }) === 1) packs.push(pack);
  }
  return packs;
}

/** One provider with several faults. */
export const allOf = (batch: Placed[]): Alter =>
  inTurn(...batch.map(({ fault, selector }) => (selector ? onlyFor(fault, selector) : fault.alter)));
