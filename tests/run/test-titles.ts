import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import type { Target } from '../configuration/target.ts';
import { gatesFor } from '../verdict/gates.ts';
import { ownEntries } from '../verdict/ledger-use.ts';
import { requirementsFor } from './results.ts';

/** A test of a run: its address, and all that `--grep` is compared with. */
export interface TitledTest {
  address: string;
  title: string;
}

/** The test of an operation whose steps are its requests. */
export const requestsTitle = 'requests made';
/** Address of that test. */
export const requestsAddress = ({ id }: Operation): string => `${id}/requests`;

/** Headings of what is judged of no place in the body. */
const headings: Partial<Record<Requirement['kind'], string>> = {
  status: 'http',
  'media-type': 'http',
  json: 'http',
  parameter: 'parameters',
  rule: 'rules',
};

/** Heading of a requirement in reports: `http`, `request`, or the field that holds the one it is about. */
export function groupOf({ kind, place }: Requirement): string {
  const heading = headings[kind];
  if (heading) return heading;
  const parent = place.split('/').slice(1, -1).join('.').replaceAll('.*', '[]');
  return parent || 'envelope';
}

/** The gates of a run that are configured, as tests. */
export const gatesOf = (contract: Contract, target: Target) =>
  gatesFor(target, ownEntries(target, contract.ledger));

/** The tests that `contract.spec.ts` declares, known before Playwright loads it. */
export function testsOf(contract: Contract, target: Target): TitledTest[] {
  return [
    ...contract.operations.map((one) => titled(requestsAddress(one), one.id, requestsTitle)),
    ...requirementsFor(contract, target).map((one) =>
      titled(one.address, one.operation, groupOf(one), one.statement),
    ),
    ...gatesOf(contract, target).map(({ address, statement }) => titled(address, 'run', statement)),
  ];
}

/** As Playwright joins a title: the name of the project, which is empty, the file, the headings, the tag. */
const titled = (address: string, ...titles: string[]): TitledTest => ({
  address,
  title: ['', 'contract.spec.ts', ...titles, `@${address}`].join(' '),
});
