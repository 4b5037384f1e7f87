import { expect, test } from '@playwright/test';

/*
 * As many tests as there are requirements. Empty ones are the least that Playwright itself costs; if `BARE_URL` is set, each test
 * asserts, and `BARE_REQUESTS` of them send a request first: the least that such a suite costs with Playwright.
 */
const { BARE_TESTS, BARE_URL, BARE_REQUESTS } = process.env;

for (let number = 1; number <= Number(BARE_TESTS); number += 1)
  if (BARE_URL)
    test(`test ${number}`, async ({ request }) => {
      const status = number <= Number(BARE_REQUESTS) ? (await request.get(BARE_URL)).status() : 200;
      expect(status).toBe(200);
    });
  else test(`test ${number}`, () => {});
