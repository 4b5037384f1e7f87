import { test } from '@playwright/test';
import { epic, feature, historyId, severity, story, testCaseId } from 'allure-js-commons';
import { loadContract } from '../../schemas/contract.ts';
import type { Requirement } from '../../schemas/requirements.ts';
import { readConfiguration } from '../client/target.ts';
import { BrokenRequirement, failureText } from './failure.ts';
import { type Results, readResults, requirementsFor } from './results.ts';

const { target } = readConfiguration();
const contract = loadContract();
const requirements = requirementsFor(target);

let results: Results | undefined;

for (const operation of contract.operations) {
  test.describe(operation.id, () => {
    for (const requirement of requirements.filter((one) => one.operation === operation.id)) {
      const group = groupOf(requirement);
      test.describe(group, () => judged(requirement, operation.summary, operation.tag, group));
    }
  });
}

function judged(requirement: Requirement, summary: string, tag: string, group: string): void {
  const annotation = { type: 'source', description: `contract section ${requirement.source}` };
  test(requirement.statement, { tag: `@${requirement.address}`, annotation }, async () => {
    await Promise.all([
      epic(tag),
      feature(summary),
      story(group),
      testCaseId(requirement.address),
      historyId(requirement.address),
      severity(requirement.level === 'MUST' ? 'critical' : 'normal'),
    ]);
    results ??= readResults(target);
    const standing = results.standing.find(({ address }) => address === requirement.address);
    if (!standing) throw new BrokenRequirement('nothing was asked: the run could not begin');
    const { verdict, reason, findings } = standing;
    if (verdict === 'violation') throw new BrokenRequirement(failureText(standing));
    test.skip(verdict === 'blocked' || verdict === 'not exercised', `${verdict}: ${reason}`);
    for (const { pointer, because } of findings)
      test.info().annotations.push({ type: 'deviation', description: `${pointer}: ${because}` });
  });
}

/** Heading of a requirement in reports: `http`, `request`, or the field that holds the one it speaks of. */
function groupOf({ address, place, operation }: Requirement): string {
  const [kind] = address.slice(operation.length + 1).split('/');
  if (kind === 'http' || kind === 'parameters' || kind === 'rules') return kind;
  const parent = place.split('/').slice(1, -1).join('.').replaceAll('.*', '[]');
  return parent || 'envelope';
}
