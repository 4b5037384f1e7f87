import { verdicts } from '../../tests/verdict/verdicts.ts';
import type { Conformance } from '../conformance.ts';

/** From the gravest to the lightest; of gates, an error is graver than a failure, as for the run. */
const gravity: readonly string[] = [...verdicts.filter((verdict) => verdict !== 'pass'), 'fail', 'pass'];

const judgedIn = ({ requirements, gates = [] }: Conformance) => [...requirements, ...gates];

/**
 * Shards of which each thing is judged by one only: of several that repeat it (`--repeat-each`), by the one that says the
 * worst.
 */
export function judgedOnce(shards: Conformance[]): Conformance[] {
  const owners = ownersIn(shards);
  return shards.map((shard) => {
    const isOwn = (address: string | undefined) => (owners.get(address ?? '') ?? shard) === shard;
    return {
      ...shard,
      requirements: shard.requirements.filter(({ address }) => isOwn(address)),
      ...(shard.gates ? { gates: shard.gates.filter(({ address }) => isOwn(address)) } : {}),
      findings: shard.findings.filter(({ requirement }) => isOwn(requirement)),
      ...(shard.changes ? { changes: changesIn(shard.changes, isOwn) } : {}),
    };
  });
}

/** Which shard has judged each address, and none more gravely. */
function ownersIn(shards: Conformance[]): Map<string, Conformance> {
  const owners = new Map<string, Conformance>();
  const worst = new Map<string, number>();
  for (const shard of shards)
    for (const { address, verdict } of judgedIn(shard)) {
      const rank = gravity.indexOf(verdict);
      if (rank >= (worst.get(address) ?? Number.POSITIVE_INFINITY)) continue;
      worst.set(address, rank);
      owners.set(address, shard);
    }
  return owners;
}

function changesIn(changes: NonNullable<Conformance['changes']>, isOwn: (address: string) => boolean) {
  const { notLookedAtAgain, newlyTolerated } = changes;
  return {
    since: changes.since,
    broken: changes.broken.filter(isOwn),
    mended: changes.mended.filter(isOwn),
    ...(notLookedAtAgain ? { notLookedAtAgain: notLookedAtAgain.filter(isOwn) } : {}),
    ...(newlyTolerated ? { newlyTolerated: newlyTolerated.filter(isOwn) } : {}),
    newlyExercised: changes.newlyExercised.filter(isOwn),
    noLongerExercised: changes.noLongerExercised.filter(isOwn),
  };
}

/** What was selected more than once: with `--repeat-each`, Playwright runs each test several times. */
export function repeatedIn({ shard }: Conformance): Set<string> {
  const known = new Set<string>();
  return new Set(shard?.selected?.filter((address) => known.size === known.add(address).size));
}
