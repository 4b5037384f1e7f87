import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import { type CustomResponse, sendCustomRequest } from './custom-requests.ts';
import { hideUncaughtErrors, type OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

/** Fixtures of a single test. */
interface TestFixtures {
  /** Sends a request of an operation, with address, credentials, rate limit and trace id of the run. */
  send<Id extends OperationId>(
    operation: Id,
    parameters: ParametersOf<Id>,
  ): Promise<CustomResponse<BodyOf<Id>>>;
  /** Responses of the operation that the last tag of the test names. */
  responses: OperationResponses;
  /** Identifiers of the configuration, keyed by variable; those of the mock if the target is the mock. */
  identifiers: Identifiers;
}

/** Worker fixtures: each is set up once in a run, by the first test that names it. */
interface WorkerFixtures {
  /** Session of the worker. Sends nothing by itself. */
  session: WorkerSession;
  /** Session after the first request of the run, which shows whether the target can be reached and is this API. */
  api: WorkerSession;
  getCard: OperationResponses;
  listCustomers: OperationResponses;
  /** Responses to lookups of the customers in `CUSTOMER_IDS`, and of some that the list shows. */
  getCustomer: OperationResponses;
  getFeeRules: OperationResponses;
  /** Session after all requests, and after the probes if `PROBES` is set. */
  behaviour: WorkerSession;
  /** Sweeps the pages of this shard, whichever tests Playwright has given it. */
  sweepShare: undefined;
}

/**
 * Options of worker fixtures that send. Playwright gives each API call a step with its raw address, and hides the step only below a
 * boxed fixture. `REQUEST_TIMEOUT_MS` limits each request, and the number of requests is limited, so that no time-out is needed.
 */
const boxed = { scope: 'worker', box: true, timeout: 0 } as const;

const withRequests = base.extend<TestFixtures, WorkerFixtures>({
  send: async ({ api }, use) => use((operation, parameters) => sendCustomRequest(api, operation, parameters)),
  responses: [
    async ({ api }, use, { tags }) => use(await request(api, parseOperation(tags))),
    { box: true, timeout: 0 },
  ],
  identifiers: async ({ session }, use) => use(session.target.identifiers),
  session: [
    async ({}, use, { config }) => {
      const session = await WorkerSession.open(config);
      if (session.target.authModule) hideUncaughtErrors();
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
 * `test` of this suite. Traces hold addresses and headers of all requests, also of requests in boxed fixtures. They are off in spite
 * of `--trace`, unless the target is the embedded mock, whose data is invented.
 */
export const test = readConfiguration().target.isMock
  ? withRequests
  : withRequests.extend({ trace: ['off', { scope: 'worker' }] });

/**
 * Sends the requests of an operation. Waits for the responses, except in the test "requests made", which shows each request while it
 * is sent. Playwright hides the API calls all the same, because they belong to the step below the boxed fixture.
 */
async function request(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.prepare(operation);
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  if (!test.info().tags.includes(`@${operation}/requests`)) await sending;
  return responses;
}

/** Parses the operation from the last tag of a test, such as `@getCard/http/status`. */
const parseOperation = (tags: string[]): string => tags.at(-1)?.slice(1).split('/')[0] ?? '';
