import type { LifecycleListener } from 'allure-js-commons/sdk/reporter';

/**
 * Names each result by its requirement, not by its sentence, so that history survives another wording. The
 * name of the machine is nobody's business.
 */
export const namedByTag: LifecycleListener = {
  beforeTestResultStop: (result) => {
    const tag = result.labels.find(({ name }) => name === 'tag')?.value;
    if (tag) result.testCaseId = tag;
    result.labels = result.labels.filter(({ name }) => name !== 'host');
  },
};
