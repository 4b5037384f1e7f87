import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import { type CustomResponse, redactErrors, sendCustomRequest } from './custom-requests.ts';
import { exitAtUncaughtErrors, type OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

/** Fixtures that each test gets anew. */
interface TestFixtures {
  /**
   * Sends a request of an operation, with address, credentials, rate limit and trace id of the run. If the test fails, its errors are
   * reported without values, except for the mock.
   */
  send<Id extends OperationId>(
    operation: Id,
    parameters: ParametersOf<Id>,
  ): Promise<CustomResponse<BodyOf<Id>>>;
  /** Responses of the operation in the last tag of the test: of `getCard` for `@getCard/http/status`. */
  responses: OperationResponses;
  /** Configured identifiers, keyed by variable such as `CARD_IDS`. For the mock, an unset variable has the identifiers of the mock. */
  identifiers: Identifiers;
}

/** Worker fixtures, set up by the first test of a worker that names them. All workers together send each request once in a run. */
interface WorkerFixtures {
  /** Session of the worker. Sends nothing by itself. */
  session: WorkerSession;
  /** Session after the first request of the run, which shows whether the target can be reached and is this API. */
  api: WorkerSession;
  getCard: OperationResponses;
  listCustomers: OperationResponses;
  /** Responses to lookups of the customers in `CUSTOMER_IDS`, and of some customers that `listCustomers` returned. */
  getCustomer: OperationResponses;
  getFeeRules: OperationResponses;
  /** Session after all requests, and after the probes if `PROBES` is set. */
  behaviour: WorkerSession;
  /** Sweeps this shard's part of the records, because Playwright may give the shard no test that sweeps. Without a value. */
  sweepShare: undefined;
}

/**
 * Options of worker fixtures that send requests. `box`: Playwright reports each API call as a step with its raw address, except below
 * a boxed fixture. `timeout: 0`: `REQUEST_TIMEOUT_MS` limits each request, and the number of requests is limited.
 */
const boxed = { scope: 'worker', box: true, timeout: 0 } as const;

/** Playwright's `test` with the fixtures of this suite. */
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
 * `test` of this suite. Switches traces off in spite of `--trace`, because a trace holds addresses and headers of all requests. Only
 * the embedded mock, whose data is invented, may have traces.
 */
export const test = readConfiguration().target.isMock
  ? withRequests
  : withRequests.extend({ trace: ['off', { scope: 'worker' }] });

/**
 * Begins to send the requests of an operation. Waits for the responses, except in the test "requests made", which shows each request
 * while it is sent. The step "requests of …" keeps the API calls below the boxed fixture, so that Playwright hides them.
 */
async function request(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.prepare(operation);
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  if (!test.info().tags.includes(`@${operation}/requests`)) await sending;
  return responses;
}

/** Parses the operation from the last tag of a test, such as `@getCard/http/status`. */
const parseOperation = (tags: string[]): string => tags.at(-1)?.slice(1).split('/')[0] ?? '';
