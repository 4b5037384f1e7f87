import { test } from '@playwright/test';
import { loadContract, type Operation } from '../../schemas/contract.ts';
import type { Requirement } from '../../schemas/requirements.ts';
import { readConfiguration } from '../client/target.ts';
import { BrokenRequirement, failureText } from './failure.ts';
import { annotations } from './labels.ts';
import { type Results, readResults, requirementsFor } from './results.ts';

const { target } = readConfiguration();
const contract = loadContract();
const requirements = requirementsFor(target);

let results: Results | undefined;

// Nothing is sent from here that a trace could show; --trace on the command line would only litter.
test.use({ trace: 'off' });

for (const operation of contract.operations) {
  test.describe(operation.id, () => {
    for (const requirement of requirements.filter((one) => one.operation === operation.id)) {
      const group = groupOf(requirement);
      test.describe(group, () => judged(requirement, operation, group));
    }
  });
}

function judged(requirement: Requirement, operation: Operation, group: string): void {
  const details = { tag: `@${requirement.address}`, annotation: annotations(requirement, operation, group) };
  test(requirement.statement, details, async () => {
    results ??= readResults(target);
    const standing = results.standing.find(({ address }) => address === requirement.address);
    if (!standing) throw new BrokenRequirement('nothing was asked: the run could not begin');
    const { verdict, reason } = standing;
    // What only a finding needs is loaded when there is one.
    if (verdict !== 'pass') await (await import('./allure.ts')).report(standing, results.observations);
    if (verdict === 'violation') throw new BrokenRequirement(failureText(standing));
    test.skip(verdict === 'blocked' || verdict === 'not exercised', `${verdict}: ${reason}`);
  });
}

/** Heading of a requirement in reports: `http`, `request`, or the field that holds the one it speaks of. */
function groupOf({ address, place, operation }: Requirement): string {
  const [kind] = address.slice(operation.length + 1).split('/');
  if (kind === 'http' || kind === 'parameters' || kind === 'rules') return kind;
  const parent = place.split('/').slice(1, -1).join('.').replaceAll('.*', '[]');
  return parent || 'envelope';
}
