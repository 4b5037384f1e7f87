import { expect, test } from '../fixtures.ts';
import { showRequests } from '../requests-made.ts';
import { findReportHeading, listUntaggedRequirements, tagRequirement } from '../requirements.ts';

/* GET {BASE_URL}/api/v1/openapi/digital_wallets/fee_rule with each type, and for each user of USER_IDS (contract section 4.4). */

// REQUEST_TIMEOUT_MS limits each request.
test.describe.configure({ timeout: 0 });

test.describe('getFeeRules', () => {
  test('requests made', { tag: '@getFeeRules/requests' }, async ({ getFeeRules }) => {
    await showRequests(getFeeRules);
  });

  test.describe('rules', () => {
    test(
      'a request with `type=user` and no `user_id` is rejected',
      tagRequirement('getFeeRules/rules/user-id-required'),
      async ({ getFeeRules }) => {
        await expect(getFeeRules).toMeet('getFeeRules/rules/user-id-required');
      },
    );
  });

  test.describe('envelope', () => {
    test('`code` is the integer 200', tagRequirement('getFeeRules/code'), async ({ getFeeRules }) => {
      await expect(getFeeRules).toMeet('getFeeRules/code');
    });

    test('`message` is a string', tagRequirement('getFeeRules/message'), async ({ getFeeRules }) => {
      await expect(getFeeRules).toMeet('getFeeRules/message');
    });
  });

  test.describe('data.fee_rules[]', () => {
    test(
      '`fixed_fee` is a decimal number written as a string',
      tagRequirement('getFeeRules/data/fee_rules/*/fixed_fee'),
      async ({ getFeeRules }) => {
        await expect(getFeeRules).toMeet('getFeeRules/data/fee_rules/*/fixed_fee');
      },
    );

    test(
      '`percentage_fee` is a decimal number written as a string',
      tagRequirement('getFeeRules/data/fee_rules/*/percentage_fee'),
      async ({ getFeeRules }) => {
        await expect(getFeeRules).toMeet('getFeeRules/data/fee_rules/*/percentage_fee');
      },
    );

    test(
      '`user_id`, when present, is a string',
      tagRequirement('getFeeRules/data/fee_rules/*/user_id'),
      async ({ getFeeRules }) => {
        await expect(getFeeRules).toMeet('getFeeRules/data/fee_rules/*/user_id');
      },
    );
  });

  // All other requirements of the contract.
  for (const requirement of listUntaggedRequirements('getFeeRules'))
    test.describe(findReportHeading(requirement), () => {
      test(requirement.statement, tagRequirement(requirement.address), async ({ getFeeRules }) => {
        await expect(getFeeRules).toMeet(requirement.address);
      });
    });
});
