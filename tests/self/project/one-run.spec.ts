import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { readYaml } from '../reports/action-job.ts';

test('what is asked of a target is asked by one job of one run at a time', () => {
  const { concurrency, jobs } = readYaml('.github/workflows/conformance.yml');
  expect(concurrency).toBe(`conformance-\${{ github.event_name == 'push' && github.run_id || 'staging' }}`);
  // A job that waits for its own run would wait for ever.
  expect(jobs.staging).not.toHaveProperty('concurrency');
  expect(jobs.sweep).toMatchObject({ needs: 'staging', if: expect.stringContaining('!cancelled()') });
  const page = readFileSync(new URL('../../../docs/ci.md', import.meta.url), 'utf8');
  expect(page).toContain('\n  resource_group: conformance-staging\n');
});
