import { expect, test } from '../fixtures.ts';
import { showRequests } from '../requests-made.ts';
import { findReportHeading, listUntaggedRequirements, tagRequirement } from '../requirements.ts';

/* GET {BASE_URL}/svc/ts/api/v1/openapi/cards/:id for each card of CARD_IDS, then each once more (contract section 4.1). */

// REQUEST_TIMEOUT_MS limits each request.
test.describe.configure({ timeout: 0 });

test.describe('getCard', () => {
  test('requests made', { tag: '@getCard/requests' }, async ({ getCard }) => {
    await showRequests(getCard);
  });

  test.describe('http', () => {
    test(
      'responds with HTTP 200 to GET /svc/ts/api/v1/openapi/cards/{id}',
      tagRequirement('getCard/http/status'),
      async ({ getCard }) => {
        await expect(getCard).toMeet('getCard/http/status');
      },
    );
  });

  test.describe('envelope', () => {
    test('`code` is the integer 200', tagRequirement('getCard/code'), async ({ getCard }) => {
      await expect(getCard).toMeet('getCard/code');
    });

    test('`message` is a string', tagRequirement('getCard/message'), async ({ getCard }) => {
      await expect(getCard).toMeet('getCard/message');
    });

    test('`data` is an object', tagRequirement('getCard/data'), async ({ getCard }) => {
      await expect(getCard).toMeet('getCard/data');
    });
  });

  test.describe('data.card', () => {
    test(
      '`expiration_date` is a month from 01 to 12 and a year, as MM/YY',
      tagRequirement('getCard/data/card/expiration_date'),
      async ({ getCard }) => {
        await expect(getCard).toMeet('getCard/data/card/expiration_date');
      },
    );

    test(
      '`physical_status` is one of Idle, Ordered, Active, Locked, Suspended, Terminated',
      tagRequirement('getCard/data/card/physical_status'),
      async ({ getCard }) => {
        await expect(getCard).toMeet('getCard/data/card/physical_status');
      },
    );
  });

  test.describe('data.card.limits[]', () => {
    test(
      '`limit_amount` is a decimal number written as a string',
      tagRequirement('getCard/data/card/limits/*/limit_amount'),
      async ({ getCard }) => {
        await expect(getCard).toMeet('getCard/data/card/limits/*/limit_amount');
      },
    );

    test(
      '`used_amount` is a decimal number written as a string',
      tagRequirement('getCard/data/card/limits/*/used_amount'),
      async ({ getCard }) => {
        await expect(getCard).toMeet('getCard/data/card/limits/*/used_amount');
      },
    );

    test(
      '`status`, when present, is one of Active, Inactive',
      tagRequirement('getCard/data/card/limits/*/status'),
      async ({ getCard }) => {
        await expect(getCard).toMeet('getCard/data/card/limits/*/status');
      },
    );
  });

  // All other requirements of the contract.
  for (const requirement of listUntaggedRequirements('getCard'))
    test.describe(findReportHeading(requirement), () => {
      test(requirement.statement, tagRequirement(requirement.address), async ({ getCard }) => {
        await expect(getCard).toMeet(requirement.address);
      });
    });
});
