import { expect, test } from '../fixtures.ts';
import { showRequests } from '../requests-made.ts';
import {
  findReportHeading,
  listOperationsWithoutFile,
  listUntaggedRequirements,
  tagRequirement,
} from '../requirements.ts';

/* Operations of the contract that have no file in this folder: every requirement of them. */

// REQUEST_TIMEOUT_MS limits each request.
test.describe.configure({ timeout: 0 });

for (const operation of listOperationsWithoutFile())
  test.describe(operation, () => {
    test('requests made', { tag: `@${operation}/requests` }, async ({ responses }) => {
      await showRequests(responses);
    });

    for (const requirement of listUntaggedRequirements(operation))
      test.describe(findReportHeading(requirement), () => {
        test(requirement.statement, tagRequirement(requirement.address), async ({ responses }) => {
          await expect(responses).toMeet(requirement.address);
        });
      });
  });
