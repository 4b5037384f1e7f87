import { test } from '@playwright/test';
import { type Contract, contractOrProblem, type Operation } from '../../schemas/contract/contract.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';
import { isCurrentRun } from '../../src/run/reports-dir.ts';
import { readResults } from '../../src/run/results.ts';
import { readConfiguration } from '../../src/run/target.ts';
import { groupOf, requestsTitle } from '../../src/run/test-titles.ts';
import { failureText } from '../../src/verdict/entry.ts';
import { evaluate, requirementsFor } from '../../src/verdict/evaluate.ts';
import { type Gate, gateSentence, gatesFor } from '../../src/verdict/gates.ts';
import { requestLine, unansweredReason } from '../../src/verdict/requests-made.ts';
import type { Results } from '../../src/verdict/results.ts';
import { concludeRun } from '../../src/verdict/verdict.ts';
import { evidenceOf, evidenceOfFinding } from './evidence.ts';
import { BrokenRequirement, FailedGate } from './failure.ts';

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
  for (const operation of contract.operations)
    test.describe(operation.id, () => {
      requestsTest(contract, operation);
      for (const requirement of requirements.filter((one) => one.operation === operation.id))
        test.describe(groupOf(requirement), () => requirementTest(contract, requirement));
    });
  test.describe('run', () => {
    for (const gate of gatesFor(target, contract.ledger)) gateTest(contract, gate);
  });
}

/** A test whose steps are the requests that were sent for an operation. It judges nothing. */
function requestsTest(contract: Contract, { id }: Operation): void {
  test(requestsTitle, { tag: `@${id}/requests` }, async () => {
    const { requests = [], observations } = resultsOf(contract);
    const own = requests.filter(({ operation }) => operation === id);
    const findings = observations.flatMap((one) => one.findings);
    for (const request of own)
      await test.step(requestLine(request), async () => {
        const found = findings.filter(({ exchange }) => exchange === request.exchange);
        await test.info().attach(...evidenceOf({ ...request, findings: found }));
      });
    const reason = unansweredReason(own);
    test.skip(Boolean(reason), reason);
  });
}

function requirementTest(contract: Contract, { statement, address, level, source }: Requirement): void {
  // `--grep` selects by each. The address is the last one, so that `$` may end it.
  const tag = [`@${level}`, `@section-${source}`, `@${address}`];
  test(statement, { tag }, async () => {
    const { requirementResults, observations } = resultsOf(contract);
    const result = requirementResults.find((one) => one.address === address);
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

/** A gate that is configured judges the run, and is no requirement. */
function gateTest(contract: Contract, { address, statement }: Gate): void {
  test(statement, { tag: `@${address}` }, () => {
    const results = resultsOf(contract);
    const input = { contract, target, results, addresses: [address], problems: [], startedAt: new Date() };
    const [gate] = concludeRun({ ...input, failed: new Set<string>() }).gates;
    if (gate && gate.verdict !== 'pass') throw new FailedGate(gateSentence(gate));
  });
}

/** The results of this run, read once a process. @throws what prevented them, for people. */
function resultsOf(contract: Contract): Results {
  results ??= evaluate(contract, target, readResults(target.reportsDir, isCurrentRun));
  if (results.problem) throw new BrokenRequirement(results.problem);
  if (!results.run) throw new BrokenRequirement('nothing was asked: the run could not begin');
  return results;
}
