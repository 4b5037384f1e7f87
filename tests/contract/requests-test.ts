import { test } from '@playwright/test';
import type { Operation } from '../../schemas/contract/contract.ts';
import { requestsAddress, requestsTitle } from '../../src/run/test-titles.ts';
import { requestLine, unansweredReason } from '../../src/verdict/requests-made.ts';
import type { Results } from '../../src/verdict/results.ts';
import { evidenceOf } from './evidence.ts';

/** A test whose steps are the requests that were sent for an operation. It judges nothing. */
export function requestsTest(operation: Operation, resultsOf: () => Results): void {
  const details = { tag: `@${requestsAddress(operation)}` };
  test(requestsTitle, details, async () => {
    const { requests = [], observations } = resultsOf();
    const own = requests.filter((request) => request.operation === operation.id);
    const findings = observations.flatMap((one) => one.findings);
    for (const request of own)
      await test.step(requestLine(request), async () => {
        const found = findings.filter(({ exchange }) => exchange === request.exchange);
        await test.info().attach(...evidenceOf({ ...request, findings: found }));
      });
    const reason = unansweredReason(own);
    test.skip(Boolean(reason), reason);
  });
}
