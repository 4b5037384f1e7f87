import { addEntries } from '../../../commands/ledger-entries.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract, readSpecText } from '../../../schemas/contract/contract.ts';
import type { Finding } from '../../../src/redact/observation.ts';

export const contract = loadContract();
export const ledger = readSpecText('ledger.yaml');

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
export const accepted = (requirement: string, run: Conformance, text = ledger): string =>
  addEntries({ text, name: 'spec/ledger.yaml' }, contract, run, {
    requirement,
    because: 'The old gateway does this.',
    link: 'https://tracker.example.com/4711',
    until: '2027-03-01',
  });
