import { addEntries } from '../../../commands/ledger-entries.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract, readSpecText } from '../../../schemas/contract/contract.ts';
import type { Finding } from '../../../src/redact/observation.ts';

export const contract = loadContract();
export const ledger = readSpecText('ledger.yaml');

/** Creates a partial report in which one requirement is violated. */
export const createReport = (
  requirement: string,
  findings: Finding[],
  overrides: Partial<Conformance> = {},
) =>
  ({
    target: 'mock',
    profile: 'observed',
    contract: contract.hash,
    requirements: [{ address: requirement, verdict: 'violation' }],
    findings,
    ...overrides,
  }) as unknown as Conformance;

/** Returns the ledger text with entries that accept the violations of a requirement. */
export const acceptViolations = (requirement: string, run: Conformance, text = ledger): string =>
  addEntries({ text, name: 'spec/ledger.yaml' }, contract, run, {
    requirement,
    because: 'The old gateway does this.',
    link: 'https://tracker.example.com/4711',
    until: '2027-03-01',
  });
