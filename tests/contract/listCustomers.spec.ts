import { expect, test } from '../fixtures.ts';
import { showRequests } from '../requests-made.ts';
import { findReportHeading, listUntaggedRequirements, tagRequirement } from '../requirements.ts';

/* GET {BASE_URL}/svc/payment/api/v1/openapi/customers with each optional parameter, page by page (contract section 4.2). */

// REQUEST_TIMEOUT_MS limits each request.
test.describe.configure({ timeout: 0 });

test.describe('listCustomers', () => {
  test('requests made', { tag: '@listCustomers/requests' }, async ({ listCustomers }) => {
    await showRequests(listCustomers);
  });

  test.describe('parameters', () => {
    test(
      'accepts each value of `linked_source_type`: User, Store',
      tagRequirement('listCustomers/parameters/linked_source_type'),
      async ({ listCustomers }) => {
        await expect(listCustomers).toMeet('listCustomers/parameters/linked_source_type');
      },
    );
  });

  test.describe('envelope', () => {
    test('`code` is the integer 200', tagRequirement('listCustomers/code'), async ({ listCustomers }) => {
      await expect(listCustomers).toMeet('listCustomers/code');
    });

    test(
      '`message`, when present, is a string',
      tagRequirement('listCustomers/message'),
      async ({ listCustomers }) => {
        await expect(listCustomers).toMeet('listCustomers/message');
      },
    );
  });

  test.describe('data', () => {
    test(
      '`customers` is an array',
      tagRequirement('listCustomers/data/customers'),
      async ({ listCustomers }) => {
        await expect(listCustomers).toMeet('listCustomers/data/customers');
      },
    );
  });

  test.describe('data.customers[].default_payment_token', () => {
    test(
      '`token_type` is one of CreditCard, WechatPayAutoDebit, AlipayAutoDebit',
      tagRequirement('listCustomers/data/customers/*/default_payment_token/token_type'),
      async ({ listCustomers }) => {
        await expect(listCustomers).toMeet('listCustomers/data/customers/*/default_payment_token/token_type');
      },
    );
  });

  // All other requirements of the contract.
  for (const requirement of listUntaggedRequirements('listCustomers'))
    test.describe(findReportHeading(requirement), () => {
      test(requirement.statement, tagRequirement(requirement.address), async ({ listCustomers }) => {
        await expect(listCustomers).toMeet(requirement.address);
      });
    });
});
