import { existsSync } from 'node:fs';
import type { TestDetails } from '@playwright/test';
import { loadContractOrError } from '../schemas/contract/contract.ts';
import type { Requirement } from '../schemas/contract/requirements.ts';
import { readConfiguration } from '../src/run/target.ts';
import { selectRequirements } from '../src/verdict/evaluate.ts';

export { findReportHeading } from '../src/verdict/requirement-group.ts';

const { target } = readConfiguration();
const contract = loadContractOrError(target.extraLedger);
// If the contract cannot be read, each test fails with the reason when it runs, because UI mode and editors show it there.
const requirements = contract instanceof Error ? [] : selectRequirements(contract, target);

const taggedAddresses = new Set<string>();

/** Returns the tags of a requirement's test, such as `@MUST` and `@getCard/http/status`. */
export function tagRequirement(address: string): TestDetails {
  taggedAddresses.add(address);
  const requirement = requirements.find((candidate) => candidate.address === address);
  if (!requirement) return { tag: `@${address}` };
  const { level, source } = requirement;
  return {
    // The address is the last tag, so that `--grep 'getCard/code$'` selects only this requirement.
    tag: [`@${level}`, `@section-${source}`, `@${address}`],
    annotation: { type: 'description', description: `${level}, section ${source} of the contract` },
  };
}

/** Lists the untagged requirements of an operation. A requirement is untagged until `tagRequirement` is called with its address. */
export const listUntaggedRequirements = (operation: string): Requirement[] =>
  requirements.filter(
    (requirement) => requirement.operation === operation && !taggedAddresses.has(requirement.address),
  );

/** Lists operation ids without a spec file such as `contract/getCard.spec.ts`. */
export function listOperationsWithoutFile(): string[] {
  if (contract instanceof Error) return [];
  const ids = contract.operations.map(({ id }) => id);
  return ids.filter((id) => !existsSync(new URL(`contract/${id}.spec.ts`, import.meta.url)));
}
