import { type Contract, contractOrProblem, type Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import { readConfiguration } from '../configuration/target.ts';
import { type ResultsOf, resultsFor } from '../run/fresh-results.ts';
import { type Results, requirementsFor } from '../run/results.ts';
import { asksOnDemand } from '../run/run-id.ts';
import { groupOf } from '../run/test-titles.ts';
import { noteUse } from '../run/used-results.ts';
import { entriesInForce, withOtherWay } from '../verdict/ledger-use.ts';
import { BrokenRequirement, failureText } from './failure.ts';
import { gateTests } from './gate-tests.ts';
import { annotations } from './labels.ts';
import { requestsTest } from './requests-test.ts';
import { test } from './test.ts';

const { target } = readConfiguration();
const contract = contractOrProblem();

let results: Results | undefined;

// Nothing is sent from here that a trace could show; --trace on the command line would only litter. UI mode needs the
// trace to show the steps.
if (!asksOnDemand()) test.use({ trace: 'off' });

// A test that fails for another reason than its requirement has to be known to every reporter.
// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
test.afterEach(({}, { status, expectedStatus, tags: [tag = ''] }) => {
  if (status !== expectedStatus && status !== 'interrupted') noteUse(target, tag.slice(1), ' failed');
});

// A mistake in the contract is a test that fails, so that UI mode and editors show it.
if (contract instanceof Error)
  test('the contract can be read', () => {
    throw new BrokenRequirement(contract.message);
  });
else declareTests(contract);

function declareTests(contract: Contract): void {
  const requirements = requirementsFor(contract, target);
  const entries = entriesInForce(target, new Date().toISOString().slice(0, 10), contract.ledger);
  const results: ResultsOf = (address) => resultsOf(contract, address);
  for (const operation of contract.operations)
    test.describe(operation.id, () => {
      requestsTest(operation, results);
      for (const requirement of requirements.filter((one) => one.operation === operation.id)) {
        const group = groupOf(requirement);
        test.describe(group, () => judged(requirement, operation, entries, results));
      }
    });
  gateTests(contract, target, results);
}

function judged(
  requirement: Requirement,
  operation: Operation,
  entries: Entry[],
  resultsOf: ResultsOf,
): void {
  const group = groupOf(requirement);
  const details = { tag: `@${requirement.address}`, annotation: annotations(requirement, operation, group) };
  test(requirement.statement, details, async () => {
    const { requirementResults, observations } = await resultsOf(requirement.address);
    const result = requirementResults.find(({ address }) => address === requirement.address);
    if (!result) throw new BrokenRequirement('the requirement was not evaluated');
    const { verdict, reason } = result;
    // What only a finding needs is loaded when there is one.
    if (verdict !== 'pass') await (await import('./allure.ts')).report(result, observations);
    if (verdict === 'violation') throw new BrokenRequirement(failureText(withOtherWay(result, entries)));
    // Nothing was judged, which is neither a pass nor a failure. Of what is blocked, the run as a whole ends as an error.
    test.skip(verdict === 'blocked' || verdict === 'not exercised', `${verdict}: ${reason}`);
  });
}

/** The results of this run, read once a process. @throws what prevented them, for people. */
async function resultsOf(contract: Contract, address: string): Promise<Results> {
  // Asking may take longer than a test.
  if (asksOnDemand()) test.setTimeout(0);
  results ??= await resultsFor(contract, target, address);
  noteUse(target, address);
  if (results.problem) throw new BrokenRequirement(results.problem);
  if (!results.run) throw new BrokenRequirement('nothing was asked: the run could not begin');
  return results;
}
