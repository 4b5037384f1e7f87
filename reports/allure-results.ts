import type { TestResult } from 'allure-js-commons';
import { ALLURE_HTTP_EXCHANGE_CONTENT_TYPE } from 'allure-js-commons/http';
import type { LifecycleListener } from 'allure-js-commons/sdk/reporter';
import { contractOrProblem } from '../schemas/contract/contract.ts';
import { type Requirement, requirementsOf } from '../schemas/contract/requirements.ts';
import { groupOf } from '../src/verdict/requirement-group.ts';
import type { Verdict } from '../src/verdict/verdicts.ts';

/** Labels of each test by its address, read when the first test ends. */
let labelsByAddress: Map<string, Labels> | undefined;

type Labels = Record<string, string>;

/** Gives results of Allure the labels, description and identity that its report groups and compares by. */
export const tidied: LifecycleListener = {
  beforeTestResultStop: (result) => {
    const address = result.labels.findLast(({ name }) => name === 'tag')?.value ?? '';
    labelsByAddress ??= readLabels();
    const { description, ...labels } = labelsByAddress.get(address) ?? gateLabels(address);
    const verdict = verdictOf(result, address);
    // The name of the machine is nobody's business.
    result.labels = result.labels.filter(({ name }) => name !== 'host');
    for (const [name, value] of Object.entries({ ...labels, ...(verdict ? { verdict } : {}) }))
      result.labels.push({ name, value });
    if (description) result.description = description;
    // Evidence stands beside the sentence rather than inside a step of its own.
    const wrappers = result.steps.filter(({ status }) => status === undefined);
    result.steps = result.steps.filter((step) => !wrappers.includes(step));
    result.attachments.push(...wrappers.flatMap(({ attachments }) => attachments));
    showExchanges(result);
    // A prompt of Playwright's to fix the test: what fails is the target.
    result.attachments = result.attachments.filter(({ name }) => name !== 'error-context');
    // By its requirement, not by its sentence: history survives another wording.
    if (address) result.testCaseId = address;
  },
};

/** Lets Allure show the JSON of an exchange as a request with its response. */
function showExchanges({ attachments, steps }: Pick<TestResult, 'attachments' | 'steps'>): void {
  for (const attachment of attachments)
    if (attachment.name.startsWith('GET ')) attachment.type = ALLURE_HTTP_EXCHANGE_CONTENT_TYPE;
  for (const step of steps) showExchanges(step);
}

/** Returns the verdict that a result shows; undefined for a fault of the suite, which Allure calls so by its status. */
function verdictOf(
  { status, statusDetails, steps }: TestResult,
  address: string,
): Verdict | 'gate' | undefined {
  if (status === 'skipped')
    return /^(blocked|not exercised)\b/.exec(statusDetails.message ?? '')?.[1] as Verdict;
  if (status === 'failed') return address.startsWith('run/') ? 'gate' : 'violation';
  if (status !== 'passed') return undefined;
  return steps.some(({ name }) => name?.startsWith('deviation: ')) ? 'deviation' : 'pass';
}

function readLabels(): Map<string, Labels> {
  const contract = contractOrProblem();
  if (contract instanceof Error) return new Map();
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const labelsFor = (requirement: Requirement): Labels => ({
    epic: operations.get(requirement.operation)?.tag ?? '',
    feature: operations.get(requirement.operation)?.summary ?? '',
    story: groupOf(requirement),
    severity: requirement.level === 'MUST' ? 'critical' : 'normal',
    description: `${requirement.level}, section ${requirement.source} of the contract`,
  });
  const requests = contract.operations.map(({ id, tag, summary }): [string, Labels] => [
    `${id}/requests`,
    {
      ...{ epic: tag, feature: summary, story: 'requests made', severity: 'trivial' },
      description: 'Each step is a request, and lasts as long as the request. Nothing is judged here.',
    },
  ]);
  const requirements = requirementsOf(contract);
  return new Map([
    ...requests,
    ...requirements.map((requirement): [string, Labels] => [requirement.address, labelsFor(requirement)]),
  ]);
}

/** Returns the labels of a gate of the run. */
const gateLabels = (address: string): Labels =>
  address.startsWith('run/') ? { epic: 'Run', feature: 'Gates', severity: 'critical' } : {};
