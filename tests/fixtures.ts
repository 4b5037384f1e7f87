import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import { type CustomResponse, redactErrors, sendCustomRequest } from './custom-requests.ts';
import { exitAtUncaughtErrors, type OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

/** Fixtures that Playwright creates for each test. */
interface TestFixtures {
  /**
   * Sends a request of an operation in a custom test, with base address, credentials, rate limit and trace id of the run. If the test
   * fails, reports its errors without values, except for the embedded mock.
   */
  send<Id extends OperationId>(
    operation: Id,
    parameters: ParametersOf<Id>,
  ): Promise<CustomResponse<BodyOf<Id>>>;
  /** Responses of the operation that the last tag of the test names: those of `getCard` for a test with `@getCard/http/status`. */
  responses: OperationResponses;
  /** Identifiers to look up, keyed by variable such as `CARD_IDS`: as configured; for the embedded mock by default those it knows. */
  identifiers: Identifiers;
}

/**
 * Fixtures that a worker process creates once, for the first of its tests that names them. All workers together send each request once in
 * a run.
 */
interface WorkerFixtures {
  /** Settings, contract and stored results of this worker process. This fixture sends no request. */
  session: WorkerSession;
  /** The worker's `session`, after the first request of the run has shown whether the target can be reached and is this API. */
  api: WorkerSession;
  /** Responses to lookups of the cards in `CARD_IDS`. */
  getCard: OperationResponses;
  /** Responses to requests for the list of customers, with different parameters and page by page. */
  listCustomers: OperationResponses;
  /** Responses to lookups of the customers in `CUSTOMER_IDS`, and of some customers that `listCustomers` returned. */
  getCustomer: OperationResponses;
  /** Responses to lookups of fee rules: of the business, and of the users in `USER_IDS`. */
  getFeeRules: OperationResponses;
  /** The worker's `session`, after the requests of all operations and, if `PROBES` is set, the probes for open questions. */
  behaviour: WorkerSession;
  /** Sweeps the part of the records that belongs to this shard, because Playwright may give the shard no test that sweeps. No value. */
  sweepShare: undefined;
}

/**
 * Options of fixtures that send requests. `box`: keeps API calls out of reports, where Playwright would otherwise show each one as a step
 * with its raw address. `timeout: 0`: no time-out for all requests together, because `REQUEST_TIMEOUT_MS` limits each of them.
 */
const boxed = { scope: 'worker', box: true, timeout: 0 } as const;

/** Playwright's `test` with the fixtures of this suite, before `test` switches traces off. */
const withRequests = base.extend<TestFixtures, WorkerFixtures>({
  send: async ({ api }, use, { errors }) => {
    await use((operation, parameters) => sendCustomRequest(api, operation, parameters));
    redactErrors(api, errors);
  },
  responses: [
    async ({ api }, use, { tags }) => use(await request(api, parseOperation(tags))),
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
  getCard: [async ({ api }, use) => use(await request(api, 'getCard')), boxed],
  listCustomers: [async ({ api }, use) => use(await request(api, 'listCustomers')), boxed],
  getCustomer: [
    async ({ listCustomers }, use) => use(await request(listCustomers.session, 'getCustomer')),
    boxed,
  ],
  getFeeRules: [async ({ api }, use) => use(await request(api, 'getFeeRules')), boxed],
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
 * Playwright's `test` with the fixtures of this suite. Switches traces off even with `--trace`, because a trace contains addresses and
 * headers of all requests. Only runs against the embedded mock, whose data is invented, may have traces.
 */
export const test = readConfiguration().target.isMock
  ? withRequests
  : withRequests.extend({ trace: ['off', { scope: 'worker' }] });

/**
 * Begins to send the requests of an operation. Waits until all are answered, except in the test "requests made" (tag
 * `@getCard/requests`), which shows each request while it is sent. The step "requests of …" belongs to the boxed fixture, so that
 * Playwright hides the API calls in it.
 */
async function request(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.prepare(operation);
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  const showsRequests = test.info().tags.includes(`@${operation}/requests`);
  if (!showsRequests) await sending;
  return responses;
}

/** Parses the operation from the last tag of a test: `getCard` from `@getCard/http/status`; empty for a test without tags. */
const parseOperation = (tags: string[]): string => tags.at(-1)?.slice(1).split('/')[0] ?? '';
