import { changesByKind } from '../tests/verdict/changes.ts';
import type { Conformance } from './conformance.ts';
import { fewOf, ledgerText } from './entries.ts';
import { findingsOf } from './extent.ts';

/** What has changed since the run that was compared with: each kind that occurs, with its addresses. */
export const changesOf = ({ changes }: Conformance) =>
  changes ? changesByKind(changes).filter(([, addresses]) => addresses.length > 0) : [];

/** By which entry of the ledger a requirement is tolerated: "ledger line 30"; empty where none does. */
export function tolerationOf(conformance: Conformance, address: string): string {
  const [first] = findingsOf(conformance, address, 'deviation');
  return first ? ledgerText(first, ({ line }) => `ledger line ${line}`) : '';
}

/** A line for each kind of change that occurs. @param code marks an address, as Markdown does */
export function changeLines(
  conformance: Conformance,
  shown: number,
  code = (address: string) => address,
): string[] {
  return changesOf(conformance).map(([kind, addresses]) => {
    const named = addresses.map((address) => {
      const entry = kind === 'newly tolerated' ? tolerationOf(conformance, address) : '';
      return code(address) + (entry && ` (${entry})`);
    });
    return `${kind}: ${fewOf(named, shown)}`;
  });
}
