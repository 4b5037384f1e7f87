import { pattern } from '../../schemas/contract/nodes.ts';
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
  const states = [...new Set([...first.seen.keys(), ...second.seen.keys()])];
  const oneSided = states.filter((state) => !first.seen.has(state) || !second.seen.has(state));
  const compared = oneSided.filter((state) => looksAt(first, state) > 0 && looksAt(second, state) > 0);
  const present = compared.filter((state) => state.endsWith(' present')).map(placeOf);
  return {
    found: compared.map((state) => foundOf(state, first, second)),
    neverPresent: new Set(present),
  };
}

/** What a run saw, and how often it looked. */
interface Sightings {
  /** How often each state was met: `address = value`, `address absent`, `address undeclared`. */
  seen: Map<string, number>;
  /** How many places of each requirement were judged. */
  exercised: Map<string, number>;
}

function sightingsOf({ coverage, requirements, findings }: Conformance): Sightings {
  const seen = new Map(Object.entries(coverage.seen));
  for (const { kind, operation, pointer } of findings) {
    const state = `${operation}${pattern(pointer)} undeclared`;
    if (kind === 'undeclared') seen.set(state, (seen.get(state) ?? 0) + 1);
  }
  return { seen, exercised: new Map(requirements.map((one) => [one.address, one.exercised])) };
}

const placeOf = (state: string) => state.slice(0, state.indexOf(' '));

/** How often a run looked where a state would be seen. */
function looksAt({ seen, exercised }: Sightings, state: string): number {
  const place = placeOf(state);
  if (/ (present|absent)$/.test(state))
    return (seen.get(`${place} present`) ?? 0) + (seen.get(`${place} absent`) ?? 0);
  if (state.endsWith(' undeclared')) return exercised.get(parentOf(place)) ?? 0;
  return exercised.get(place) ?? 0;
}

/** Address of what holds a field; the body itself has a name of its own. */
function parentOf(place: string): string {
  const parent = place.slice(0, place.lastIndexOf('/'));
  return parent.includes('/') ? parent : `${parent}/body`;
}

function foundOf(state: string, first: Sightings, second: Sightings): Found {
  const [there, elsewhere] = first.seen.has(state) ? [first, second] : [second, first];
  return {
    certain: chanceOf(state, there, elsewhere) < mayBeChance,
    difference: {
      id: state,
      statement: sentenceOf(state),
      sides: [seenText(state, first), seenText(state, second)],
    },
  };
}

/**
 * How likely it is that a run misses what is as frequent as in the other one. Records of one answer are not
 * independent of each other: only answers count. One sighting more or less must not decide, hence the `+ 1`.
 */
function chanceOf(state: string, there: Sightings, elsewhere: Sightings): number {
  const frequency = Math.min(1, (there.seen.get(state) ?? 0) / (looksAt(there, state) + 1));
  const answers = elsewhere.exercised.get(`${state.split('/')[0]}/http/status`) ?? 0;
  return (1 - frequency) ** Math.min(looksAt(elsewhere, state), answers);
}

function sentenceOf(state: string): string {
  const [place, kind] = [placeOf(state), state.slice(state.indexOf(' ') + 1)];
  const name = `\`${place.split('/').at(-1)}\``;
  if (kind === 'present') return `${name} is there`;
  if (kind === 'absent') return `${name} is left out`;
  return kind === 'undeclared' ? `${name}, a field that the contract does not name` : `${name} ${kind}`;
}

function seenText(state: string, sightings: Sightings): string {
  const count = sightings.seen.get(state);
  return count
    ? `seen ${count} of ${looksAt(sightings, state)} times`
    : `never in ${looksAt(sightings, state)}`;
}
