import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import { type CustomResponse, redactErrors, sendCustomRequest } from './custom-requests.ts';
import { exitAtUncaughtErrors, type OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

interface TestFixtures {
  /** Sends a request with the credentials, rate limit and trace id of the run. If the test fails, its error shows no response values. */
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
  /** Session that has sent the requests of all operations and, with `PROBES`, extra requests about what the contract leaves open. */
  behaviour: WorkerSession;
  /**
   * Fixture used only for its effect: sweeps this shard's part of the records. Needed because Playwright may run all tests of
   * the operation in another shard.
   */
  sweepShare: undefined;
}

/** Options of a fixture that sends requests. `box` hides steps with URLs. `timeout` is off: `REQUEST_TIMEOUT_MS` limits each request. */
const boxed = { scope: 'worker', box: true, timeout: 0 } as const;

const testWithFixtures = base.extend<TestFixtures, WorkerFixtures>({
  send: async ({ api }, use, { errors }) => {
    await use((operation, parameters) => sendCustomRequest(api, operation, parameters));
    redactErrors(api, errors);
  },
  responses: [
    async ({ api }, use, { tags }) => use(await startRequests(api, parseOperationTag(tags))),
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
  getCard: [async ({ api }, use) => use(await startRequests(api, 'getCard')), boxed],
  listCustomers: [async ({ api }, use) => use(await startRequests(api, 'listCustomers')), boxed],
  getCustomer: [
    async ({ listCustomers }, use) => use(await startRequests(listCustomers.session, 'getCustomer')),
    boxed,
  ],
  getFeeRules: [async ({ api }, use) => use(await startRequests(api, 'getFeeRules')), boxed],
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

/** Playwright's `test` with the fixtures of this suite. Even with `--trace`, records traces only of the mock, because they show headers. */
export const test = readConfiguration().target.isMock
  ? testWithFixtures
  : testWithFixtures.extend({ trace: ['off', { scope: 'worker' }] });

/**
 * Sends the requests of an operation and waits for all responses. Does not wait in the test with the tag
 * `@<operation>/requests`, which shows each request as a step while it runs.
 */
async function startRequests(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.createResponses(operation);
  // In a boxed fixture, a step hides the steps in it: reports would list each API call.
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  const showsRequestsWhileTheyRun = test.info().tags.includes(`@${operation}/requests`);
  if (!showsRequestsWhileTheyRun) await sending;
  return responses;
}

const parseOperationTag = (tags: string[]): string => tags.at(-1)?.slice(1).split('/')[0] ?? '';
