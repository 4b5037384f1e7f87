import type { Contract } from '../../schemas/contract/contract.ts';
import { requirementsOf } from '../../schemas/contract/requirements.ts';
import type { ProbeAnswer } from '../../tests/probes/probe-answers.ts';
import type { Changes } from '../../tests/verdict/changes.ts';
import { verdictOf } from '../../tests/verdict/verdict.ts';
import type { Conformance } from '../conformance.ts';
import { durationsOf } from '../durations.ts';
import { lackingIn, requirementsDue } from './completeness.ts';
import { judgedOnce } from './repeated-tests.ts';
import { shardsInOrder, timeNotes } from './same-run.ts';
import { MergeError, notesOf, unique } from './shards.ts';

/**
 * What the shards of one run come to together. What is missing, or was not judged, is said, and makes the verdict `error`.
 * @throws {MergeError} when they are not parts of one run.
 */
export function mergeShards(contract: Contract, reports: Conformance[]): Conformance {
  const shards = judgedOnce(shardsInOrder(contract, reports));
  const [first] = shards;
  if (!first) throw new MergeError('there is no shard to merge');
  const { shard: _, changes: __, selection: ___, ...rest } = first;
  const requestsMade = shards.flatMap((one) => one.requestsMade ?? []);
  return {
    ...rest,
    ...spanOf(shards),
    requests: shards.reduce((sum, { requests }) => sum + requests, 0),
    ...judgedBy(contract, shards),
    coverage: largestCoverage(shards),
    requestsMade,
    durations: durationsOf(requestsMade),
    observed: first.observed.map(({ id }) => agreed(shards, id)),
    ...changesOf(shards),
  };
}

/** The verdict on the whole, and what it rests on. */
function judgedBy(contract: Contract, shards: Conformance[]) {
  const requirements = inOrder(
    contract,
    shards.flatMap((one) => one.requirements),
  );
  const gates = shards.flatMap((one) => one.gates ?? []);
  const lacking = lackingIn(contract, shards);
  return {
    verdict: lacking.length > 0 ? ('error' as const) : verdictAll(shards, requirements, gates),
    ...(lacking.length > 0 ? {} : selectionOf(contract, shards, requirements)),
    gates,
    notes: unique([...lacking, ...timeNotes(shards), ...notesOf(shards)]),
    requirements,
    findings: unique(shards.flatMap((one) => one.findings)),
  };
}

/** From the start of the first shard to the end of the last one. */
function spanOf(shards: Conformance[]): Pick<Conformance, 'startedAt' | 'durationMs'> {
  const ends = shards.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  const [startedAt = ''] = shards
    .map((one) => one.startedAt)
    .toSorted((one, other) => Date.parse(one) - Date.parse(other));
  return { startedAt, durationMs: Math.max(...ends) - Date.parse(startedAt) };
}

/** As a whole run would be judged. */
function verdictAll(
  shards: Conformance[],
  requirements: Conformance['requirements'],
  gates: NonNullable<Conformance['gates']>,
): Conformance['verdict'] {
  const isJudgedBeside = shards.some(({ coverage }) => coverage.nodes.exercised > 0);
  const verdict = verdictOf(requirements, gates, { isPart: false, isJudgedBeside });
  return verdict === 'pass' && shards.some((one) => one.verdict === 'fail') ? 'fail' : verdict;
}

/** In the order of the contract, as a whole run lists them. */
function inOrder(contract: Contract, requirements: Conformance['requirements']): Conformance['requirements'] {
  const order = new Map(requirementsOf(contract).map(({ address }, index) => [address, index]));
  const place = ({ address }: { address: string }) => order.get(address) ?? order.size;
  return requirements.toSorted((one, other) => place(one) - place(other));
}

/** A verdict on a part of the contract must not read like one on the whole. */
function selectionOf(
  contract: Contract,
  shards: Conformance[],
  { length: selected }: Conformance['requirements'],
) {
  const { length: total } = requirementsDue(contract, shards);
  return selected < total ? { selection: { selected, total } } : {};
}

/** Each shard asks everything: the coverage of all is that of the one that has seen most. */
function largestCoverage(shards: Conformance[]): Conformance['coverage'] {
  const [largest] = shards
    .map(({ coverage }) => coverage)
    .toSorted((one, other) => other.nodes.exercised - one.nodes.exercised);
  return largest as Conformance['coverage'];
}

/** Each shard has asked what is open: one answer is taken, and other answers stand beside it. */
function agreed(shards: Conformance[], id: string): ProbeAnswer {
  const all = shards.flatMap(({ observed }) => observed.filter((one) => one.id === id));
  const answered = all.filter(({ confidence }) => confidence !== 'unknown');
  const [chosen = all[0] as ProbeAnswer] = answered;
  const others = unique(answered.map(({ answer }) => answer).filter((answer) => answer !== chosen.answer));
  if (others.length === 0) return chosen;
  const evidence = [...chosen.evidence, ...others.map((answer) => `another shard got: ${answer}`)];
  return { ...chosen, confidence: 'likely', evidence };
}

/** Each shard has compared its share. */
function changesOf(shards: Conformance[]): Pick<Conformance, 'changes'> | object {
  const all = shards.flatMap(({ changes }) => changes ?? []);
  const [first] = all;
  if (!first || all.length < shards.length) return {};
  const join = (key: Exclude<keyof Changes, 'since'>) => all.flatMap((one) => one[key] ?? []);
  return {
    changes: {
      since: first.since,
      broken: join('broken'),
      mended: join('mended'),
      notLookedAtAgain: join('notLookedAtAgain'),
      newlyTolerated: join('newlyTolerated'),
      newlyExercised: join('newlyExercised'),
      noLongerExercised: join('noLongerExercised'),
    },
  };
}
