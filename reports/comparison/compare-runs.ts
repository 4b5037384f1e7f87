import type { Question } from '../../schemas/contract/questions.ts';
import { counted } from '../../schemas/counted.ts';
import type { Conformance } from '../conformance.ts';
import { compareBehaviour } from './behaviour.ts';
import { compareRequirements } from './requirements.ts';
import { compareSeen } from './seen.ts';

/** Two runs, in the order in which they were named. */
export type Runs = readonly [Conformance, Conformance];

/** One thing that differs between two runs. */
export interface Difference {
  /** Address of a requirement, a state of it, or the name of an open question. */
  id: string;
  statement: string;
  /** What each run says. */
  sides: readonly [string, string];
}

/** Differences by what they are about. */
export interface Differences {
  requirements: Difference[];
  behaviour: Difference[];
  /** Fields and values that one run saw and the other never did. */
  seen: Difference[];
}

/** Two runs side by side. */
export interface Comparison {
  runs: Runs;
  /** How the runs are called: by target, and by time where both have the same. */
  labels: readonly [string, string];
  /** What limits the comparison as a whole; said before all else. */
  caveats: string[];
  differences: Differences;
  /** What only one run could show, or what chance may explain: no differences between the targets. */
  undecided: Differences;
}

/** How a difference is found: for certain, or not for certain enough. */
export interface Found {
  difference: Difference;
  certain: boolean;
}

/** Compares two runs. Pure; two runs of one target have no differences. */
export function compareRuns(runs: Runs, questions: Question[]): Comparison {
  const seen = compareSeen(runs);
  const found = {
    requirements: compareRequirements(runs, seen.neverPresent),
    behaviour: compareBehaviour(runs, questions),
    seen: seen.found,
  };
  const pick = (certain: boolean): Differences => ({
    requirements: select(found.requirements, certain),
    behaviour: select(found.behaviour, certain),
    seen: select(found.seen, certain),
  });
  return {
    runs,
    labels: labelsOf(runs),
    caveats: caveatsOf(runs),
    differences: pick(true),
    undecided: pick(false),
  };
}

const select = (found: Found[], certain: boolean): Difference[] =>
  found.filter((one) => one.certain === certain).map(({ difference }) => difference);

/** How many there are of all kinds. */
export const countOf = ({ requirements, behaviour, seen }: Differences): number =>
  requirements.length + behaviour.length + seen.length;

/** The outcome in one sentence. */
export function sentenceOf(comparison: Comparison): string {
  const { differences, undecided, labels } = comparison;
  const count = countOf(differences);
  const none = countOf(undecided) > 0 ? 'No difference found' : 'No difference';
  const between = `between ${labels[0]} and ${labels[1]}`;
  const parts = [
    `${count === 0 ? none : counted(count, 'difference')} ${between}`,
    undecidedCount(comparison),
  ];
  return parts.filter(Boolean).join('; ');
}

/** "80 things could not be compared"; empty where all could. */
export function undecidedCount({ undecided }: Pick<Comparison, 'undecided'>): string {
  const count = countOf(undecided);
  return count > 0 ? `${counted(count, 'thing')} could not be compared` : '';
}

/** Whether two runs are alike in all that they show: nothing differs, nothing is undecided, nothing limits the comparison. */
export const areAlike = ({ differences, undecided, caveats }: Comparison): boolean =>
  countOf(differences) + countOf(undecided) + caveats.length === 0;

function labelsOf([first, second]: Runs): Comparison['labels'] {
  if (first.target !== second.target) return [first.target, second.target];
  return [`${first.target} at ${first.startedAt}`, `${second.target} at ${second.startedAt}`];
}

function caveatsOf(runs: Runs): string[] {
  const [first, second] = runs;
  const labels = labelsOf(runs);
  const differs = (key: 'contract' | 'profile') =>
    first[key] === second[key] ? [] : [`The runs have different ${key}s: ${first[key]} and ${second[key]}.`];
  const same = first.target === second.target && first.startedAt === second.startedAt;
  return [
    ...differs('contract'),
    ...differs('profile'),
    ...(same ? ['Both files are of the same run.'] : []),
    ...runs.flatMap((run, index) => limitsOf(run, labels[index] ?? '')),
    ...(first.requirements.length === second.requirements.length
      ? []
      : [
          `The runs judged different numbers of requirements: ${first.requirements.length} and ${second.requirements.length}.`,
        ]),
  ];
}

/** Why a run says little. */
function limitsOf({ shard, verdict }: Conformance, label: string): string[] {
  return [
    ...(shard ? [`${label} is shard ${shard.current} of ${shard.total}, not a whole run.`] : []),
    ...(verdict === 'error' ? [`${label} ended as error: nothing sure can be said of it.`] : []),
  ];
}
