import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Observation } from '../../redaction/observation.ts';
import { FoldedObservations } from '../../verdict/folded-observations.ts';

/** Observations as they are kept of a long run. */
export function folded(observations: Iterable<Observation>): Observation[] {
  const fold = new FoldedObservations(loadContract().operations);
  for (const observation of observations) fold.add(observation);
  return fold.list();
}
