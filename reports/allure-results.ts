import type { LifecycleListener } from 'allure-js-commons/sdk/reporter';
import { contractOrProblem } from '../schemas/contract/contract.ts';
import { readResults } from '../src/run/results.ts';
import { readConfiguration } from '../src/run/target.ts';
import { evaluate, type RequirementResult } from '../src/verdict/evaluate.ts';
import { groupOf } from '../src/verdict/requirement-group.ts';

/** Labels of each requirement by its address, read when the first test ends. */
let known: Map<string, Labels> | undefined;

type Labels = Record<string, string>;

/** Makes results of Allure what its report reads best. What is said of a requirement to Allure alone is said here. */
export const tidied: LifecycleListener = {
  beforeTestResultStop: (result) => {
    const address = result.labels.findLast(({ name }) => name === 'tag')?.value;
    known ??= knownLabels();
    const { description, ...labels } = known.get(address ?? '') ?? labelsBeside(address, result.status);
    // The name of the machine is nobody's business.
    result.labels = result.labels.filter(({ name }) => name !== 'host');
    result.labels.push(...Object.entries(labels).map(([name, value]) => ({ name, value })));
    if (description) result.description = description;
    // Evidence stands beside the sentence rather than inside a step of its own.
    const wrappers = result.steps.filter(({ status }) => status === undefined);
    result.steps = result.steps.filter((step) => !wrappers.includes(step));
    result.attachments.push(...wrappers.flatMap(({ attachments }) => attachments));
    // By its requirement, not by its sentence: history survives another wording.
    if (address) result.testCaseId = address;
  },
};

function knownLabels(): Map<string, Labels> {
  const contract = contractOrProblem();
  if (contract instanceof Error) return new Map();
  const operations = new Map(contract.operations.map((one) => [one.id, one]));
  const { target } = readConfiguration();
  const { requirementResults } = evaluate(contract, target, readResults(target.reportsDir));
  const labelsOf = (result: RequirementResult): Labels => ({
    epic: operations.get(result.operation)?.tag ?? '',
    feature: operations.get(result.operation)?.summary ?? '',
    story: groupOf(result),
    severity: result.level === 'MUST' ? 'critical' : 'normal',
    verdict: result.verdict,
    description: `${result.level}, section ${result.source} of the contract`,
  });
  const requests = contract.operations.map(({ id, tag, summary }): [string, Labels] => [
    `${id}/requests`,
    {
      ...{ epic: tag, feature: summary, story: 'requests made', severity: 'trivial' },
      description:
        'Each step is a request of the run; its title has the time that it took. Nothing is judged here.',
    },
  ]);
  return new Map([
    ...requests,
    ...requirementResults.map((one): [string, Labels] => [one.address, labelsOf(one)]),
  ]);
}

/** Labels of a gate of the run. */
const labelsBeside = (address: string | undefined, status: string | undefined): Labels => ({
  ...(address?.startsWith('run/') ? { epic: 'Run', feature: 'Gates', severity: 'critical' } : {}),
  ...(address?.startsWith('run/') && status === 'failed' ? { verdict: 'gate' } : {}),
});
