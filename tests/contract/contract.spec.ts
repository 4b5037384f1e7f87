import { test } from '@playwright/test';
import { type Contract, contractOrProblem } from '../../schemas/contract/contract.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import { isCurrentRun } from '../../src/run/reports-dir.ts';
import { readResults } from '../../src/run/results.ts';
import { readConfiguration } from '../../src/run/target.ts';
import { groupOf, tagsOf } from '../../src/run/test-titles.ts';
import { failureText } from '../../src/verdict/entry.ts';
import { evaluate, requirementsFor } from '../../src/verdict/evaluate.ts';
import type { Results } from '../../src/verdict/results.ts';
import { evidenceOfFinding } from './evidence.ts';
import { BrokenRequirement } from './failure.ts';
import { gateTests } from './gate-tests.ts';
import { requestsTest } from './requests-test.ts';

const { target } = readConfiguration();
const contract = contractOrProblem(target.callersLedger);

let results: Results | undefined;

// A mistake in the contract is a test that fails, so that UI mode and editors show it.
if (contract instanceof Error)
  test('the contract can be read', () => {
    throw new BrokenRequirement(contract.message);
  });
else declareTests(contract);

function declareTests(contract: Contract): void {
  const requirements = requirementsFor(contract, target);
  const results = () => resultsOf(contract);
  for (const operation of contract.operations)
    test.describe(operation.id, () => {
      requestsTest(operation, results);
      for (const requirement of requirements.filter((one) => one.operation === operation.id)) {
        const group = groupOf(requirement);
        test.describe(group, () => judged(requirement, results));
      }
    });
  gateTests(contract, target, results);
}

function judged(requirement: Requirement, results: () => Results): void {
  test(requirement.statement, { tag: tagsOf(requirement) }, async () => {
    const { requirementResults, observations } = results();
    const result = requirementResults.find(({ address }) => address === requirement.address);
    if (!result) throw new BrokenRequirement('the requirement was not evaluated');
    const { verdict, reason } = result;
    const own = result.findings.filter(({ kind }) => kind === verdict);
    const deviations = verdict === 'deviation' ? own.slice(0, 3) : [];
    for (const { pointer, because } of deviations)
      test.info().annotations.push({ type: 'deviation', description: `${pointer}: ${because}` });
    if (own[0] && verdict !== 'blocked') await test.info().attach(...evidenceOfFinding(own[0], observations));
    if (verdict === 'violation') throw new BrokenRequirement(failureText(result, own));
    // Nothing was judged, which is neither a pass nor a failure. Of what is blocked, the run as a whole ends as an error.
    test.skip(verdict === 'blocked' || verdict === 'not exercised', `${verdict}: ${reason}`);
  });
}

/** The results of this run, read once a process. @throws what prevented them, for people. */
function resultsOf(contract: Contract): Results {
  results ??= evaluate(contract, target, readResults(target.reportsDir, isCurrentRun));
  if (results.problem) throw new BrokenRequirement(results.problem);
  if (!results.run) throw new BrokenRequirement('nothing was asked: the run could not begin');
  return results;
}
