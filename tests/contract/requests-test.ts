import type { Operation } from '../../schemas/contract/contract.ts';
import type { ResultsOf } from '../run/fresh-results.ts';
import { isAnswered, requestLine, unansweredReason } from '../run/requests-made.ts';
import { requestsAddress, requestsTitle } from '../run/test-titles.ts';
import { labelled } from './labels.ts';
import { test } from './test.ts';

/** A test whose steps are the requests that were sent for an operation. It judges nothing. */
export function requestsTest(operation: Operation, resultsOf: ResultsOf): void {
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
    const { requests = [] } = await resultsOf(address);
    const own = requests.filter((request) => request.operation === operation.id);
    for (const request of own)
      await test.step(requestLine(request), (step) => step.skip(!isAnswered(request)));
    const reason = unansweredReason(own);
    test.skip(reason !== undefined, reason ?? '');
  });
}
