import type { Contract } from '../../schemas/contract/contract.ts';
import { isOptional, type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import type { Conformance } from '../conformance.ts';
import { missingOf, numberOf, unique } from './shards.ts';

/** Why nothing sure can be said of all shards together, in sentences; none where everything that was selected was judged. */
export function lackingIn(contract: Contract, shards: Conformance[]): string[] {
  const lacking = [...missingOf(shards), ...shards.filter(isUnfinished).flatMap(unfinishedNotes)];
  return lacking.length > 0 ? unique(lacking) : unjudgedNotes(contract, shards);
}

/** Whether a shard did not come to its end, even if its requirements pass. Reports of earlier versions do not say it. */
export function isUnfinished({ shard, verdict, requests, requirements }: Conformance): boolean {
  if (shard?.complete !== undefined) return !shard.complete;
  const explained = requirements.some((one) => one.verdict === 'blocked' || one.verdict === 'error');
  return verdict === 'error' && (requests === 0 || !explained);
}

/** What a shard that did not come to its end says of itself. */
function unfinishedNotes(shard: Conformance): string[] {
  const [first = 'it did not come to its end', ...notes] = shard.notes;
  return [first, ...notes].map((note) => `shard ${numberOf(shard)}: ${note}`);
}

/** How many addresses a sentence names. */
const maxNamed = 3;

function unjudgedNotes(contract: Contract, shards: Conformance[]): string[] {
  const judged = new Set(shards.flatMap(addressesIn));
  const unjudged = unique(selectedIn(contract, shards)).filter((address) => !judged.has(address));
  const named = unjudged.slice(0, maxNamed).join(', ');
  const more = unjudged.length > maxNamed ? `, and ${unjudged.length - maxNamed} more` : '';
  return unjudged.length > 0 ? [`no shard has judged what was selected: ${named}${more}`] : [];
}

const addressesIn = ({ requirements, gates = [] }: Conformance): string[] =>
  [...requirements, ...gates].map(({ address }) => address);

/** What shards were to judge together: all, where their reports do not say it. */
function selectedIn(contract: Contract, shards: Conformance[]): string[] {
  const selected = shards.flatMap(({ shard }) => (shard?.selected ? [shard.selected] : []));
  return selected[0] ?? requirementsDue(contract, shards).map(({ address }) => address);
}

/** The requirements of the contract; the optional ones only where a shard has judged any. */
export function requirementsDue(contract: Contract, shards: Conformance[]): Requirement[] {
  const known = requirementsOf(contract);
  return hasOptional(contract, shards) ? known : known.filter((one) => !isOptional(one));
}

/** Whether any report judges optional requirements (`UNDECLARED_FIELDS=fail`). */
export function hasOptional(contract: Contract, reports: Conformance[]): boolean {
  const optional = new Set(
    requirementsOf(contract)
      .filter(isOptional)
      .map(({ address }) => address),
  );
  return reports.some(({ requirements }) => requirements.some(({ address }) => optional.has(address)));
}
