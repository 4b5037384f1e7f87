import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import { type CustomResponse, redactErrors, sendCustomRequest } from './custom-requests.ts';
import { exitAtUncaughtErrors, type OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

interface TestFixtures {
  /** Sends a request with the credentials, rate limit and trace id of the run. Removes values from errors of the test. */
  send<Id extends OperationId>(
    operation: Id,
    parameters: ParametersOf<Id>,
  ): Promise<CustomResponse<BodyOf<Id>>>;
  /** Responses of the operation that the last tag of the test names: those of `getCard` for the tag `@getCard/http/status`. */
  responses: OperationResponses;
  /** Configured identifiers, keyed by variable such as `CARD_IDS`. For the embedded mock, the default is identifiers of its records. */
  identifiers: Identifiers;
}

interface WorkerFixtures {
  session: WorkerSession;
  /** Session that has sent the first request of the run, whose response shows whether the target is this API. */
  api: WorkerSession;
  getCard: OperationResponses;
  listCustomers: OperationResponses;
  /** Lookups of `CUSTOMER_IDS`, and of some customers that `listCustomers` has returned. */
  getCustomer: OperationResponses;
  getFeeRules: OperationResponses;
  /** Session that has sent the requests of all operations. With `PROBES`, it has also sent requests that answer open questions. */
  behaviour: WorkerSession;
  /** Sweeps (looks up) the records of this shard, even if Playwright assigns no test of these records to the shard. */
  sweepShare: undefined;
}

/** Options of a fixture that sends requests. `box` hides their addresses. `REQUEST_TIMEOUT_MS` limits each request instead of `timeout`. */
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
      await session.sendAllRequests();
      await use(session);
    },
    boxed,
  ],
  sweepShare: [
    async ({ session }, use) => {
      await session.sweepOwnShare();
      await use(undefined);
    },
    { ...boxed, auto: true },
  ],
});

/** Switches traces off, even with `--trace`, because they show addresses and headers. Allows traces of the embedded mock. */
export const test = readConfiguration().target.isMock
  ? testWithFixtures
  : testWithFixtures.extend({ trace: ['off', { scope: 'worker' }] });

/** Sends the requests of an operation, and waits for the responses, except in the test that shows requests while they run. */
async function requestOperation(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.createResponses(operation);
  // A step of this boxed fixture hides the API calls in it.
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  const showsRequestsWhileTheyRun = test.info().tags.includes(`@${operation}/requests`);
  if (!showsRequestsWhileTheyRun) await sending;
  return responses;
}

const parseOperationTag = (tags: string[]): string => tags.at(-1)?.slice(1).split('/')[0] ?? '';
