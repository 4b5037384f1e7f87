import type { Finding, FoundCounts, Observation } from '../redaction/observation.ts';

/** What stands for the values of a parameter, where requests that are folded were sent with several. */
export const anyValue = '…';

/** How many requests an observation stands for. */
export const requestCount = ({ folded }: Pick<Observation, 'folded'>): number => folded?.requests ?? 1;

/** In how many of its requests an observation exercised a requirement. */
export const exercisedIn = ({ visits, folded }: Observation, address: string): number =>
  Object.hasOwn(visits, address) ? (folded?.exercised[address] ?? 1) : 0;

/** In how many of its requests an observation had findings of a requirement, by their kinds. */
export const foundIn = ({ findings, folded }: Observation): FoundCounts =>
  folded?.found ?? foundInOne(findings);

function foundInOne(findings: Finding[]): FoundCounts {
  const kinds = new Map<string, Set<string>>();
  for (const { requirement, kind } of findings)
    kinds.set(requirement, (kinds.get(requirement) ?? new Set()).add(kind));
  return Object.fromEntries([...kinds].map(([requirement, all]) => [requirement, { [joined(all)]: 1 }]));
}

const joined = (kinds: Set<string>) => [...kinds].sort().join(',');

/** The kinds that are counted together under one name of `FoundCounts`. */
export const kindsOf = (name: string) => name.split(',') as Finding['kind'][];

/** Which values its requests were sent with, and how many of them with each: `name=value`. */
export const sentValues = ({ parameters, folded }: Observation): Record<string, number> =>
  folded?.sent ??
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [`${name}=${value}`, 1]));
