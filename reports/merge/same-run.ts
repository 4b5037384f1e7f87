import type { Contract } from '../../schemas/contract/contract.ts';
import { requirementsOf } from '../../schemas/contract/requirements.ts';
import type { Conformance } from '../conformance.ts';
import { repeatedIn } from './repeated-tests.ts';
import { MergeError, numberOf } from './shards.ts';

/** What all shards have in common, and what they are of where they do not. */
const same: [word: string, ofReport: (report: Conformance) => string][] = [
  ['targets', ({ target }) => target],
  ['targets', ({ target, mock }) => (mock ? 'the embedded mock' : target)],
  ['profiles', ({ profile }) => profile],
  ['contracts', ({ contract }) => contract],
];

/** The shards by number. @throws {MergeError} when they are of different runs, or one is there twice. */
export function shardsInOrder(contract: Contract, reports: Conformance[]): Conformance[] {
  const { hash } = contract;
  const shards = reports.toSorted((one, other) => numberOf(one) - numberOf(other));
  for (const [word, ofReport] of same) {
    const values = [...new Set(shards.map(ofReport))];
    if (values.length > 1) throw new MergeError(`the shards are of different ${word}: ${values.join(', ')}`);
  }
  const totals = [...new Set(shards.map(({ shard }) => shard?.total))];
  if (totals.length > 1)
    throw new MergeError(`the shards are parts of different numbers: ${totals.join(', ')}`);
  const twice = shards.find((one, index) => index > 0 && numberOf(one) === numberOf(shards[index - 1]));
  if (twice) throw new MergeError(`shard ${numberOf(twice)} is given twice`);
  if (shards[0] && shards[0].contract !== hash)
    throw new MergeError(`the shards are of contract ${shards[0].contract}, and this is ${hash}`);
  assertSameSelection(shards);
  assertListedOnce(contract, shards);
  return shards;
}

/** Shards divide what is selected: what only some of them were to judge, nobody may have judged. */
function assertSameSelection(shards: Conformance[]): void {
  const [first, ...others] = shards.filter(({ shard }) => shard?.selected);
  for (const other of others) {
    assertSelectedBy(first, other);
    assertSelectedBy(other, first);
  }
}

function assertSelectedBy(one: Conformance | undefined, other: Conformance | undefined): void {
  const selected = new Set(one?.shard?.selected);
  const odd = other?.shard?.selected?.find((address) => !selected.has(address));
  if (odd !== undefined)
    throw new MergeError(
      `shard ${numberOf(other)} was to judge ${odd}, and shard ${numberOf(one)} was not: run all with the same variables and the same --grep`,
    );
}

/** @throws {MergeError} when two shards have judged the same thing, which was to be judged once, or one something that there is not. */
function assertListedOnce(contract: Contract, shards: Conformance[]): void {
  const known = new Set(requirementsOf(contract).map(({ address }) => address));
  const judged = new Map<string, Conformance>();
  const repeated = new Set(shards.flatMap((shard) => [...repeatedIn(shard)]));
  for (const shard of shards)
    for (const { address } of [...shard.requirements, ...(shard.gates ?? [])]) {
      const other = judged.get(address);
      if (other && !repeated.has(address))
        throw new MergeError(
          `shards ${numberOf(other)} and ${numberOf(shard)} have both judged ${address}: they are not of one run`,
        );
      if (!known.has(address) && !address.startsWith('run/'))
        throw new MergeError(
          `shard ${numberOf(shard)} has judged ${address}, which is no requirement of this contract`,
        );
      judged.set(address, shard);
    }
}

const day = 24 * 60 * 60 * 1000;

/** That the shards show the target on different days, if they do: one that has failed may have run again later. */
export function timeNotes(shards: Conformance[]): string[] {
  const inTime = shards.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt));
  const [first, last] = [inTime[0], inTime.at(-1)];
  if (!first || !last || Date.parse(last.startedAt) - Date.parse(first.startedAt) <= day) return [];
  const when = (shard: Conformance) => `shard ${numberOf(shard)} on ${shard.startedAt.slice(0, 10)}`;
  return [`the shards are of different days: ${when(first)}, ${when(last)}`];
}
