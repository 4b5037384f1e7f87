import { isDeepStrictEqual } from 'node:util';
import { comparedRunOf } from '../../tests/run/previous.ts';
import { type ComparedRun, changesOfAll, withChanges } from '../../tests/verdict/changes.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';
import { unique } from './shards.ts';

/**
 * Shards that divide what is asked, with what has changed: as a whole run says it, where it is known what all of them were
 * compared with, else as far as each of them says it of its share.
 * @param folders of the shards: each keeps the run that it was compared with
 */
export function withMergedChanges(run: Conformance, shards: Conformance[], folders: string[]): Conformance {
  const [since, ...others] = unique(shards.map(({ changes }) => changes?.since ?? null));
  const previous = since && others.length === 0 ? previousOf(since, folders) : undefined;
  const isCompared = since !== null || others.length > 0;
  return previous || !isCompared ? withChanges(run, previous) : asEachSays(run, shards);
}

type Since = NonNullable<Conformance['changes']>['since'];

/** The run that shards say they were compared with: another run may have begun in a folder since. */
function previousOf(since: Since, folders: string[]): ComparedRun | undefined {
  const keys = Object.keys(since) as (keyof Since)[];
  const isMeant = (run: ComparedRun) => keys.every((key) => isDeepStrictEqual(run[key], since[key]));
  return folders.flatMap((folder) => comparedRunOf(folder) ?? []).find(isMeant);
}

function asEachSays(run: Conformance, shards: Conformance[]): Conformance {
  const said = new Map(shards.flatMap(({ requirements }) => requirements.map((one) => [one.address, one])));
  const sinceOf = ({ address, verdict }: ReportedRequirement) => {
    const own = said.get(address);
    return own?.verdict === verdict && own.since ? own.since : run.startedAt;
  };
  return {
    ...run,
    requirements: run.requirements.map((one) => ({ ...one, since: sinceOf(one) })),
    ...(run.changes ? { changes: changesOfAll(run.changes, run) } : {}),
  };
}
