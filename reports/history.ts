import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Target } from '../tests/client/target.ts';
import type { Verdict } from '../tests/contract/standing.ts';
import type { Conformance, RequirementResult } from './conformance.ts';

/** What has changed since an earlier run; addresses of requirements. */
export interface Changes {
  since: Pick<Conformance, 'target' | 'profile' | 'startedAt' | 'contract' | 'verdict'>;
  broken: string[];
  mended: string[];
  newlyExercised: string[];
  noLongerExercised: string[];
}

const judged = new Set<Verdict | undefined>(['pass', 'deviation', 'violation']);

/** A run with what has changed since an earlier one, and since when each verdict holds. Pure. */
export function withHistory(run: Conformance, previous: Conformance | undefined): Conformance {
  const before = new Map(previous?.requirements.map((one) => [one.address, one]));
  return {
    ...run,
    requirements: run.requirements.map((one) => ({ ...one, since: sinceOf(run, one, previous, before) })),
    ...(previous ? { changes: changesSince(run, previous, before) } : {}),
  };
}

type Before = Map<string, RequirementResult>;

function sinceOf(
  run: Conformance,
  one: RequirementResult,
  previous: Conformance | undefined,
  before: Before,
) {
  const earlier = before.get(one.address);
  const same = previous && earlier?.verdict === one.verdict;
  return same ? (earlier.since ?? previous.startedAt) : run.startedAt;
}

function changesSince(run: Conformance, previous: Conformance, before: Before): Changes {
  const { target, profile, startedAt, contract, verdict } = previous;
  const pick = (changed: (was: Verdict | undefined, is: Verdict) => boolean) =>
    run.requirements
      .filter((one) => changed(before.get(one.address)?.verdict, one.verdict))
      .map(({ address }) => address);
  return {
    since: { target, profile, startedAt, contract, verdict },
    broken: pick((was, is) => is === 'violation' && was !== 'violation'),
    mended: pick((was, is) => was === 'violation' && (is === 'pass' || is === 'deviation')),
    newlyExercised: pick((was, is) => !judged.has(was) && judged.has(is)),
    noLongerExercised: pick((was, is) => judged.has(was) && !judged.has(is)),
  };
}

/** Each kind of change with its heading and its addresses. */
export const kindsOf = ({ broken, mended, newlyExercised, noLongerExercised }: Changes) =>
  [
    ['broken', broken],
    ['mended', mended],
    ['newly exercised', newlyExercised],
    ['no longer exercised', noLongerExercised],
  ] as const;

/** The run to compare with: the one that `PREVIOUS` names, or the last of the same target and profile. */
export function readPrevious({ reportsDir, previous, name, profile }: Target): Conformance | undefined {
  const file = path.join(reportsDir, 'previous.json');
  if (!existsSync(file)) return undefined;
  const earlier: Conformance = JSON.parse(readFileSync(file, 'utf8'));
  const comparable = previous || (earlier.target === name && earlier.profile === profile);
  return comparable ? earlier : undefined;
}
