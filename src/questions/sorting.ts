import type { Observation } from '../redact/observation.ts';

/* Orders that are the same in each run. */

/** Lists different texts in alphabetical order. */
export const sortUnique = (texts: string[]): string[] => [...new Set(texts)].sort();

/** Compares observations by request line, to sort them in an order that is the same in each run. */
export const compareRequests = (a: Observation, b: Observation): number =>
  a.exchange.localeCompare(b.exchange);
