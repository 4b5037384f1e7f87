import type { Conformance } from '../../../reports/conformance.ts';

/** A report with some of the requirements of a whole one, and, of the first shard, with its gates. */
export function shardOf(whole: Conformance, current: number, total: number): Conformance {
  const requirements = whole.requirements.filter((_, index) => index % total === current - 1);
  const gates = current === 1 ? (whole.gates ?? []) : [];
  return structuredClone({ ...whole, shard: { current, total }, requirements, gates });
}
