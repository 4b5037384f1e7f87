import { expect, test } from '../fixtures.ts';
import { showRequests } from '../requests-made.ts';
import { findReportHeading, listUntaggedRequirements, tagRequirement } from '../requirements.ts';

/*
 * GET {BASE_URL}/svc/payment/api/v1/openapi/customers/:id for each customer of CUSTOMER_IDS, and for a customer of each
 * shape that the list shows (contract section 4.3).
 */

// REQUEST_TIMEOUT_MS limits each request.
test.describe.configure({ timeout: 0 });

test.describe('getCustomer', () => {
  test('requests made', { tag: '@getCustomer/requests' }, async ({ getCustomer }) => {
    await showRequests(getCustomer);
  });

  test.describe('rules', () => {
    test(
      'a customer that the list shows is found by its `uuid`',
      tagRequirement('getCustomer/rules/listed-is-found'),
      async ({ getCustomer }) => {
        await expect(getCustomer).toMeet('getCustomer/rules/listed-is-found');
      },
    );
  });

  test.describe('envelope', () => {
    test('`code` is the integer 200', tagRequirement('getCustomer/code'), async ({ getCustomer }) => {
      await expect(getCustomer).toMeet('getCustomer/code');
    });

    test('`message` is a string', tagRequirement('getCustomer/message'), async ({ getCustomer }) => {
      await expect(getCustomer).toMeet('getCustomer/message');
    });
  });

  test.describe('data.customer.default_payment_token', () => {
    test(
      '`token_type` is one of CreditCard, WechatPayAutoDebit, AlipayAutoDebit',
      tagRequirement('getCustomer/data/customer/default_payment_token/token_type'),
      async ({ getCustomer }) => {
        await expect(getCustomer).toMeet('getCustomer/data/customer/default_payment_token/token_type');
      },
    );
  });

  // All other requirements of the contract.
  for (const requirement of listUntaggedRequirements('getCustomer'))
    test.describe(findReportHeading(requirement), () => {
      test(requirement.statement, tagRequirement(requirement.address), async ({ getCustomer }) => {
        await expect(getCustomer).toMeet(requirement.address);
      });
    });
});
