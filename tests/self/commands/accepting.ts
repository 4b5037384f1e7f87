import { acceptedForms } from '../../../commands/accept/deviation.ts';
import { withEntries } from '../../../commands/accept/ledger-text.ts';
import { readOrder } from '../../../commands/accept/order.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract, readSpecText } from '../../../schemas/contract/contract.ts';
import type { Finding } from '../../redaction/observation.ts';

export const contract = loadContract();
export const ledger = readSpecText('ledger.yaml');
export const today = '2026-11-22';

export const args = (requirement: string) => [
  requirement,
  ...['--because', 'The old gateway does this.', '--link', 'https://tracker.example.com/4711'],
  ...['--until', '2027-03-01'],
];

/** The least of a report that the command looks at. */
export const reportWith = (requirement: string, findings: Finding[], more: Partial<Conformance> = {}) =>
  ({
    target: 'mock',
    profile: 'observed',
    contract: contract.hash,
    requirements: [{ address: requirement, verdict: 'violation' }],
    findings,
    ...more,
  }) as unknown as Conformance;

/** The text of the ledger with what a run found accepted. */
export function accepted(requirement: string, run: Conformance, text = ledger): string {
  const forms = acceptedForms(contract, run, requirement);
  return withEntries(text, forms, readOrder(args(requirement), today), run.target);
}
