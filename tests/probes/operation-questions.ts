import type { Contract } from '../../schemas/contract/contract.ts';
import type { Target } from '../configuration/target.ts';
import type { TalliedValues } from './digest/tallied-values.ts';
import type { Evidence, Inference } from './evidence.ts';
import type { Probe } from './probes.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** What an operation adds to the questions that the contract leaves open; every part is named after its question. */
export interface OperationQuestions {
  /** Requests whose answers the contract leaves open, each sent once. */
  probes?(target: Target, contract: Contract): Probe[];
  /** How answers are inferred. */
  inferences?: Record<string, Inference>;
  /** Requests to send again once all others were: where responses contradict each other, they may have changed. */
  secondPass?(evidence: Evidence): RecordedExchange[];
  /** How many these are, at most. */
  maxSecondPass?: number;
  /** Questions that list what was seen at some places of the answers. */
  tallied?: Record<string, TalliedValues>;
  /** By name of a list below `data`: the pointer to what identifies its elements. */
  identities?: Record<string, string>;
}
