import { pattern } from '../../schemas/contract/nodes.ts';
import { presenceState, type State, stateOf } from '../../schemas/contract/states.ts';
import type { Conformance } from '../conformance.ts';
import type { Found, Runs } from './compare-runs.ts';

/** Beyond this, chance may explain that something was never seen. */
const mayBeChance = 0.001;

interface Seen {
  found: Found[];
  /** Addresses of fields that one of the runs never saw, though it looked where they would be. */
  neverPresent: ReadonlySet<string>;
}

/** Fields and values that one run saw and the other, though it looked at the place, never did. */
export function compareSeen(runs: Runs): Seen {
  const [first, second] = runs.map(sightingsOf) as [Sightings, Sightings];
  const names = [...new Set([...first.seen.keys(), ...second.seen.keys()])];
  const oneSided = names.filter((name) => !first.seen.has(name) || !second.seen.has(name)).map(stateOf);
  const compared = oneSided.filter((state) => looksAt(first, state) > 0 && looksAt(second, state) > 0);
  const present = compared.filter(({ kind }) => kind === 'present').map(({ address }) => address);
  return {
    found: compared.map((state) => foundOf(state, first, second)),
    neverPresent: new Set(present),
  };
}

/** What a run saw, and how often it looked. */
interface Sightings {
  /** How often each state was met, by its name. */
  seen: Map<string, number>;
  /** How many places of each requirement were judged. */
  exercised: Map<string, number>;
}

function sightingsOf({ coverage, requirements, findings }: Conformance): Sightings {
  const seen = new Map(Object.entries(coverage.seen));
  for (const { kind, operation, pointer } of findings) {
    const name = presenceState(operation + pattern(pointer), 'undeclared');
    if (kind === 'undeclared') seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  return { seen, exercised: new Map(requirements.map((one) => [one.address, one.exercised])) };
}

/** How often a run looked where a state would be seen. */
function looksAt({ seen, exercised }: Sightings, { address, kind }: State): number {
  if (kind === 'value') return exercised.get(address) ?? 0;
  if (kind === 'undeclared') return exercised.get(parentOf(address)) ?? 0;
  const [present, absent] = [presenceState(address, 'present'), presenceState(address, 'absent')];
  return (seen.get(present) ?? 0) + (seen.get(absent) ?? 0);
}

/** Address of what holds a field; the body itself has a name of its own. */
function parentOf(address: string): string {
  const parent = address.slice(0, address.lastIndexOf('/'));
  return parent.includes('/') ? parent : `${parent}/body`;
}

function foundOf(state: State, first: Sightings, second: Sightings): Found {
  const [there, elsewhere] = first.seen.has(state.name) ? [first, second] : [second, first];
  return {
    certain: chanceOf(state, there, elsewhere) < mayBeChance,
    difference: {
      id: state.name,
      statement: sentenceOf(state),
      sides: [seenText(state, first), seenText(state, second)],
    },
  };
}

/**
 * How likely it is that a run misses what is as frequent as in the other one. Records of one answer are not
 * independent of each other: only answers count. One sighting more or less must not decide, hence the `+ 1`.
 */
function chanceOf(state: State, there: Sightings, elsewhere: Sightings): number {
  const frequency = Math.min(1, (there.seen.get(state.name) ?? 0) / (looksAt(there, state) + 1));
  const answers = elsewhere.exercised.get(`${state.address.split('/')[0]}/http/status`) ?? 0;
  return (1 - frequency) ** Math.min(looksAt(elsewhere, state), answers);
}

function sentenceOf(state: State): string {
  const name = `\`${state.address.split('/').at(-1)}\``;
  if (state.kind === 'value') return `${name} = ${state.value}`;
  if (state.kind === 'undeclared') return `${name}, a field that the contract does not name`;
  return `${name} is ${state.kind === 'present' ? 'there' : 'left out'}`;
}

function seenText(state: State, sightings: Sightings): string {
  const count = sightings.seen.get(state.name);
  return count
    ? `seen ${count} of ${looksAt(sightings, state)} times`
    : `never in ${looksAt(sightings, state)}`;
}
