import type { Entry } from '../../schemas/contract/ledger.ts';
import { ruleAddress } from '../../schemas/contract/requirements.ts';
import type { Visits } from '../../schemas/judge/visits.ts';
import { nothingJudged, type Observation } from '../redaction/observation.ts';
import { applyRelations } from './apply-relations.ts';
import type { RelationResult } from './doubt.ts';

/** An observation without what was judged of it: by itself it says nothing. */
export function unjudged(observation: Observation): Observation {
  const { bytes: _, firstByteMs: __, durationMs: ___, repeated: ____, ...request } = observation;
  return { ...request, ...nothingJudged() };
}

type Result = RelationResult<{ observation: Observation }>;

/** How often each rule between responses was kept, by address. */
export function keptIn(results: Result[]): Visits {
  const kept: Visits = {};
  for (const { rule, conclusion, count } of results) {
    const address = ruleAddress(rule.operation.id, rule.rule);
    if (conclusion === 'kept') kept[address] = (kept[address] ?? 0) + count;
  }
  return kept;
}

/**
 * What broken rules between responses add to observations that are folded already: observations of no further request, to be
 * folded with those they are about.
 */
export function addedByRelations(results: Result[], entries: Entry[]): Observation[] {
  const others = results.filter(({ conclusion }) => conclusion !== 'kept');
  return others.flatMap((result) =>
    [...applyRelations([result], entries).values()].map((added) => {
      const { visits, findings } = added;
      const counts = Object.entries(visits).map(([address, count]) => [address, Math.min(count, 1)]);
      const found = findings.map(({ requirement, kind }) => [requirement, { [kind]: 1 }]);
      const folded = {
        requests: 0,
        exercised: Object.fromEntries(counts),
        found: Object.fromEntries(found),
        sent: {},
      };
      return { ...added, folded };
    }),
  );
}
