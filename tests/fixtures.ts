import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import { type CustomResponse, sendCustomRequest } from './custom-requests.ts';
import { hideUncaughtErrors, type OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

/** Fixtures of a test of the team's own. */
interface TestFixtures {
  /** Sends a request of an operation, with the address, credentials, rate and ids of the run. */
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
  /** Client, store and problem of the run. */
  session: WorkerSession;
  /** First request of the run, which shows whether the target is reached and is this API. */
  api: WorkerSession;
  getCard: OperationResponses;
  listCustomers: OperationResponses;
  /** Looks up the configured customers, and some of those that the list shows. */
  getCustomer: OperationResponses;
  getFeeRules: OperationResponses;
  /** Probes of what the contract leaves open, where `PROBES` is set. */
  behaviour: WorkerSession;
  /** Share of a sweep that a shard looks at, whichever tests it was given. */
  sweepShare: undefined;
}

/**
 * Playwright gives each API call a step with its raw address, and hides it only below a boxed fixture. Requests have a time-out of
 * their own (`REQUEST_TIMEOUT_MS`), and their number is bounded.
 */
const boxed = { scope: 'worker', box: true, timeout: 0 } as const;

const withRequests = base.extend<TestFixtures, WorkerFixtures>({
  send: async ({ api }, use) => use((operation, parameters) => sendCustomRequest(api, operation, parameters)),
  responses: [
    async ({ api }, use, { tags }) => use(await request(api, operationIn(tags))),
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
 * `test` of this suite. Traces are off, whatever `--trace` says, unless the target is the embedded mock, whose data is invented: a
 * trace holds addresses and headers, also of requests that are hidden.
 */
export const test = readConfiguration().target.isMock
  ? withRequests
  : withRequests.extend({ trace: ['off', { scope: 'worker' }] });

/**
 * Sends the requests of an operation. Only its test "requests made" goes on at once, to show them as they are sent; they stay
 * hidden, since they belong to the step that begins here, below the boxed fixture.
 */
async function request(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.prepare(operation);
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  if (!test.info().tags.includes(`@${operation}/requests`)) await sending;
  return responses;
}

/** Returns the operation of a tag such as `@getCard/http/status`, the last one of a test. */
const operationIn = (tags: string[]): string => tags.at(-1)?.slice(1).split('/')[0] ?? '';
