import { test } from '@playwright/test';
import type { Operation } from '../../schemas/contract/contract.ts';
import { requestsAddress, requestsTitle } from '../../src/run/test-titles.ts';
import { isAnswered, requestLine, unansweredReason } from '../../src/verdict/requests-made.ts';
import type { Results } from '../../src/verdict/results.ts';
import { labelled } from './labels.ts';

/** A test whose steps are the requests that were sent for an operation. It judges nothing. */
export function requestsTest(operation: Operation, resultsOf: () => Results): void {
  const address = requestsAddress(operation);
  const annotation = [
    labelled('epic', operation.tag),
    labelled('feature', operation.summary),
    labelled('story', 'requests'),
    labelled('severity', 'trivial'),
    {
      type: 'description',
      description:
        'Each step is a request of the run; its title has the time that it took. Nothing is judged here.',
    },
  ];
  test(requestsTitle, { tag: `@${address}`, annotation }, async () => {
    const { requests = [] } = resultsOf();
    const own = requests.filter((request) => request.operation === operation.id);
    for (const request of own)
      await test.step(requestLine(request), (step) => step.skip(!isAnswered(request)));
    const reason = unansweredReason(own);
    test.skip(reason !== undefined, reason ?? '');
  });
}
