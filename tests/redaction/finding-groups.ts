import type { Finding } from './observation.ts';

/** A finding with what it stands for. */
export interface CountedFinding extends Finding {
  places: number;
  requests: number;
}

/** Findings of one kind and requirement: some by what is the same of them, and one for all others. */
interface Group {
  listed: Map<string, CountedFinding>;
  others?: CountedFinding;
  /** How many findings were held against those that are listed. */
  compared: number;
}

/** Findings of one requirement and kind that are listed; the others are counted. */
const maxListed = 20;

/** Where there are more than are listed, later ones than these are counted without being looked at. */
const maxCompared = 20_000;

const othersText = (places: number) => `… and ${places} more places, not listed one by one`;

/** Whether a finding stands for all that were not listed. */
export const isOthers = ({ actual, places }: Finding) =>
  places !== undefined && actual === othersText(places);

/**
 * Findings by kind and requirement. Memory does not grow with their number; each kind has a limit of its own, so
 * that what is tolerated never takes the place of a violation.
 */
export class FindingGroups {
  readonly #groups = new Map<Finding['kind'], Map<string, Group>>();

  /** The finding that counts all others found there, since so much was found already. */
  uncompared(kind: Finding['kind'], requirement: string): CountedFinding | undefined {
    const { others, compared } = this.#groupOf(kind, requirement);
    return compared < maxCompared ? undefined : others;
  }

  /** The finding to count under this key: the known one, or a new one. `others` has been counted before. */
  at(
    { kind, requirement }: Pick<Finding, 'kind' | 'requirement'>,
    key: string | undefined,
    create: () => Finding,
  ): CountedFinding {
    const group = this.#groupOf(kind, requirement);
    group.compared += 1;
    const known = key === undefined ? undefined : group.listed.get(key);
    if (known) return known;
    if (key === undefined || group.listed.size >= maxListed) {
      group.others ??= uncounted(create());
      return group.others;
    }
    const added = uncounted(create());
    group.listed.set(key, added);
    return added;
  }

  #groupOf(kind: Finding['kind'], requirement: string): Group {
    const known = this.#groups.get(kind)?.get(requirement);
    if (known) return known;
    const group: Group = { listed: new Map(), compared: 0 };
    this.#groups.set(kind, (this.#groups.get(kind) ?? new Map()).set(requirement, group));
    return group;
  }

  list(): CountedFinding[] {
    const groups = [...this.#groups.values()].flatMap((ofKind) => [...ofKind.values()]);
    return groups.flatMap(({ listed, others }) => [...listed.values(), ...(others ? [summed(others)] : [])]);
  }
}

/** Of what was not listed, nothing can be said but how often it is. */
const summed = ({ received: _, ...others }: CountedFinding): CountedFinding => ({
  ...others,
  actual: othersText(others.places),
});

const uncounted = (finding: Finding): CountedFinding => ({ ...finding, places: 0, requests: 0 });
