import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import { type CustomResponse, redactErrors, sendCustomRequest } from './custom-requests.ts';
import { exitAtUncaughtErrors, type OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

interface TestFixtures {
  /**
   * Sends a request in a custom test, with the base address, credentials, rate limit and trace id of the run. If the test
   * fails, values are removed from its errors, except for the embedded mock.
   */
  send<Id extends OperationId>(
    operation: Id,
    parameters: ParametersOf<Id>,
  ): Promise<CustomResponse<BodyOf<Id>>>;
  /** Responses of the operation in the last tag of the test, such as those of `getCard` for `@getCard/http/status`. */
  responses: OperationResponses;
  /** Configured identifiers, keyed by variable such as `CARD_IDS`. For the embedded mock, by default those of its records. */
  identifiers: Identifiers;
}

interface WorkerFixtures {
  session: WorkerSession;
  /**
   * Session of the worker, after the first request of the run has shown whether the target can be reached and is this API.
   */
  api: WorkerSession;
  getCard: OperationResponses;
  listCustomers: OperationResponses;
  /** Responses to lookups of the customers in `CUSTOMER_IDS` and of some customers that `listCustomers` has returned. */
  getCustomer: OperationResponses;
  getFeeRules: OperationResponses;
  /** Session of the worker, after the requests of all operations and, with `PROBES`, the probes for open questions. */
  behaviour: WorkerSession;
  /**
   * Has no value. Sweeps this shard's part of the records, because Playwright may assign to a shard no test that would sweep.
   */
  sweepShare: undefined;
}

/**
 * Options of worker fixtures that send requests. `box` hides API calls, which Playwright would otherwise show as steps with
 * complete addresses. `timeout: 0` sets no limit for all requests together; `REQUEST_TIMEOUT_MS` limits each one.
 */
const boxed = { scope: 'worker', box: true, timeout: 0 } as const;

const testWithFixtures = base.extend<TestFixtures, WorkerFixtures>({
  send: async ({ api }, use, { errors }) => {
    await use((operation, parameters) => sendCustomRequest(api, operation, parameters));
    redactErrors(api, errors);
  },
  responses: [
    async ({ api }, use, { tags }) => use(await requestOperation(api, parseOperationTag(tags))),
    { box: true, timeout: 0 },
  ],
  identifiers: async ({ session }, use, { errors }) => {
    await use(session.target.identifiers);
    redactErrors(session, errors);
  },
  session: [
    async ({}, use, { config }) => {
      const session = await WorkerSession.open(config);
      if (session.target.authModule) exitAtUncaughtErrors();
      await use(session);
      await session.close();
    },
    boxed,
  ],
  api: [
    async ({ session }, use) => {
      await session.run?.checkApi();
      await use(session);
    },
    boxed,
  ],
  getCard: [async ({ api }, use) => use(await requestOperation(api, 'getCard')), boxed],
  listCustomers: [async ({ api }, use) => use(await requestOperation(api, 'listCustomers')), boxed],
  getCustomer: [
    async ({ listCustomers }, use) => use(await requestOperation(listCustomers.session, 'getCustomer')),
    boxed,
  ],
  getFeeRules: [async ({ api }, use) => use(await requestOperation(api, 'getFeeRules')), boxed],
  behaviour: [
    // Names the fixtures of all operations, so that their requests are sent first; `getCustomer` needs `listCustomers`.
    async ({ session, getCard: _, getCustomer: __, getFeeRules: ___ }, use) => {
      await session.requestBehaviour();
      await use(session);
    },
    boxed,
  ],
  sweepShare: [
    async ({ session }, use) => {
      await session.sweepShare();
      await use(undefined);
    },
    { ...boxed, auto: true },
  ],
});

/**
 * Playwright's `test` with the fixtures of this suite. Switches traces off even with `--trace`, because they show addresses and
 * headers.
 */
export const test = readConfiguration().target.isMock
  ? testWithFixtures
  : testWithFixtures.extend({ trace: ['off', { scope: 'worker' }] });

/**
 * Starts to send the requests of an operation, and waits for all responses. Does not wait in the test "requests made", which
 * shows each request while it is sent.
 */
async function requestOperation(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.createResponses(operation);
  // A step of this boxed fixture hides the API calls in it.
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  const showsRequests = test.info().tags.includes(`@${operation}/requests`);
  if (!showsRequests) await sending;
  return responses;
}

/** Reads the operation from the last tag of a test: `getCard` from `@getCard/http/status`. Empty for a test without tags. */
const parseOperationTag = (tags: string[]): string => tags.at(-1)?.slice(1).split('/')[0] ?? '';
