import { existsSync } from 'node:fs';
import type { TestDetails } from '@playwright/test';
import { loadContractOrError } from '../schemas/contract/contract.ts';
import type { Requirement } from '../schemas/contract/requirements.ts';
import { readConfiguration } from '../src/run/target.ts';
import { selectRequirements } from '../src/verdict/evaluate.ts';

export { findGroup } from '../src/verdict/requirement-group.ts';

const { target } = readConfiguration();
const contract = loadContractOrError(target.callersLedger);
// If the contract cannot be read, each test fails with the reason when it runs, because UI mode and editors show it there.
const requirements = contract instanceof Error ? [] : selectRequirements(contract, target);
/**
 * Addresses of requirements with their own test in a spec file. `tagRequirement` adds them while Playwright loads the file.
 */
const namedAddresses = new Set<string>();

/**
 * Returns the details of the test of a requirement: tags such as `@MUST`, `@section-2.4` and `@getCard/http/status`, and a
 * description for Allure. If the contract cannot be read, only the tag with the address. Notes the address, so that
 * `listOtherRequirements` leaves the requirement out.
 */
export function tagRequirement(address: string): TestDetails {
  namedAddresses.add(address);
  const { level, source } = requirements.find((candidate) => candidate.address === address) ?? {};
  if (!level) return { tag: `@${address}` };
  return {
    // The address is the last tag, so that `--grep 'getCard/code$'` selects only this requirement.
    tag: [`@${level}`, `@section-${source}`, `@${address}`],
    annotation: { type: 'description', description: `${level}, section ${source} of the contract` },
  };
}

/** Returns the requirements of an operation that have no test of their own: `tagRequirement` was not called for them. */
export const listOtherRequirements = (operation: string): Requirement[] =>
  requirements
    .filter((requirement) => requirement.operation === operation)
    .filter(({ address }) => !namedAddresses.has(address));

export const listOperationsWithoutFile = (): string[] =>
  contract instanceof Error
    ? []
    : contract.operations
        .map(({ id }) => id)
        .filter((id) => !existsSync(new URL(`contract/${id}.spec.ts`, import.meta.url)));
