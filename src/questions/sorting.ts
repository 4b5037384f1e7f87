import type { Observation } from '../redact/observation.ts';

/* Orders that do not depend on the order of the responses, so that recorded answers of two runs can be compared. */

export const sortUnique = (texts: string[]): string[] => [...new Set(texts)].sort();

export const compareRequests = (a: Observation, b: Observation): number =>
  a.exchange.localeCompare(b.exchange);
