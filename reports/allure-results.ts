import type { LifecycleListener } from 'allure-js-commons/sdk/reporter';

let lastStart = 0;

/** Makes results of Allure what its report reads best. */
export const tidied: LifecycleListener = {
  beforeTestResultStop: (result) => {
    // By its requirement, not by its sentence: history survives another wording. The name of the machine is nobody's business.
    const tag = result.labels.find(({ name }) => name === 'tag')?.value;
    if (tag) result.testCaseId = tag;
    result.labels = result.labels.filter(({ name }) => name !== 'host');
    // Evidence stands beside the sentence rather than inside a step.
    const wrappers = result.steps.filter(({ attachments }) => attachments.length > 0);
    result.steps = result.steps.filter((step) => !wrappers.includes(step));
    result.attachments.push(...wrappers.flatMap(({ attachments }) => attachments));
  },
  beforeTestResultWrite: (result) => {
    // Allure sorts by time, and several tests begin in one millisecond: they stay in the order of the contract.
    const { start = 0, stop = 0 } = result;
    lastStart = Math.max(start, lastStart + 1);
    Object.assign(result, { start: lastStart, stop: lastStart + stop - start });
  },
};
