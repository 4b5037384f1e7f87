import { test } from '@playwright/test';
import { readConfiguration } from '../client/target.ts';
import { requirementsFor } from '../contract/results.ts';

// As many tests as there are requirements, each empty: the least that Playwright itself costs.
for (const { address } of requirementsFor(readConfiguration().target)) test(address, () => {});
