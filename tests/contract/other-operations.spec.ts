import { expect, test } from '../fixtures.ts';
import { showRequests } from '../requests-made.ts';
import { groupOf, operationsWithoutFile, otherRequirements, requirement } from '../requirements.ts';

/* Operations of the contract that have no file in this folder: every requirement of them. */

for (const operation of operationsWithoutFile())
  test.describe(operation, () => {
    test('requests made', { tag: `@${operation}/requests` }, async ({ responses }) => {
      await showRequests(responses);
    });

    for (const other of otherRequirements(operation))
      test.describe(groupOf(other), () => {
        test(other.statement, requirement(other.address), async ({ responses }) => {
          await expect(responses).toMeet(other.address);
        });
      });
  });
