import type { Observation } from '../redact/observation.ts';

/* Orders that do not depend on the order of the responses, so that recorded answers of two runs can be compared. */

export const sortUnique = (texts: string[]): string[] => [...new Set(texts)].sort();

/** Compares observations by request line, so that their order is the same in each run. */
export const compareRequests = (a: Observation, b: Observation): number =>
  a.exchange.localeCompare(b.exchange);
