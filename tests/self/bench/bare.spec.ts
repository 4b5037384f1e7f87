import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@playwright/test';

/*
 * As many tests as there are requirements. Empty ones are the least that Playwright itself costs; if `BARE_URL` is set, each test
 * asserts, and `BARE_REQUESTS` of them send a request first: the least that such a suite costs with Playwright. Each request waits
 * `BARE_INTERVAL_MS`, as a rate limit would have it.
 */
const { BARE_TESTS, BARE_URL, BARE_REQUESTS, BARE_INTERVAL_MS = 0 } = process.env;

for (let number = 1; number <= Number(BARE_TESTS); number += 1)
  if (BARE_URL)
    test(`test ${number}`, async ({ request }) => {
      if (number > Number(BARE_REQUESTS)) return expect(200).toBe(200);
      await setTimeout(Number(BARE_INTERVAL_MS));
      expect((await request.get(BARE_URL)).status()).toBe(200);
    });
  else test(`test ${number}`, () => {});
