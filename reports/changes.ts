import { changesByKind } from '../tests/verdict/changes.ts';
import type { Conformance } from './conformance.ts';
import { ledgerText } from './entries.ts';
import { findingsOf } from './extent.ts';

/** What has changed since the run that was compared with: each kind that occurs, with its addresses. */
export const changesOf = ({ changes }: Conformance) =>
  changes ? changesByKind(changes).filter(([, addresses]) => addresses.length > 0) : [];

/** By which entry of the ledger a requirement is tolerated; empty where none does. */
export function tolerationOf(conformance: Conformance, address: string): string {
  const [first] = findingsOf(conformance, address, 'deviation');
  return first ? ledgerText(first).replace('spec/ledger.yaml, ', 'ledger ') : '';
}
