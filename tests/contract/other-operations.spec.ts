import { expect, test } from '../fixtures.ts';
import { showRequests } from '../requests-made.ts';
import { groupOf, operationsWithoutFile, otherRequirements, tagRequirement } from '../requirements.ts';

/* Operations of the contract that have no file in this folder: every requirement of them. */

for (const operation of operationsWithoutFile())
  test.describe(operation, () => {
    test('requests made', { tag: `@${operation}/requests` }, async ({ responses }) => {
      await showRequests(responses);
    });

    for (const requirement of otherRequirements(operation))
      test.describe(groupOf(requirement), () => {
        test(requirement.statement, tagRequirement(requirement.address), async ({ responses }) => {
          await expect(responses).toMeet(requirement.address);
        });
      });
  });
