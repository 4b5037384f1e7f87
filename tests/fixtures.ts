import { test as base } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Identifiers } from '../src/client/target.ts';
import { readConfiguration } from '../src/run/target.ts';
import {
  type CustomResponse,
  redactErrors,
  removeSuiteFrames,
  sendCustomRequest,
} from './custom-requests.ts';
import type { OperationResponses, WorkerSession } from './worker-session.ts';

export { expect } from './matchers.ts';

interface TestFixtures {
  /**
   * Sends a request with the credentials of the run.
   * If no request can be sent or no response arrives, the test is blocked.
   * The first blocked test of a run fails, and later blocked tests are skipped. With `--retries`, a missing response always fails
   * the test.
   */
  send<Id extends OperationId>(
    operation: Id,
    parameters: ParametersOf<Id>,
  ): Promise<CustomResponse<BodyOf<Id>>>;
  /** Responses of the operation that the last tag of the test names. The tag `@getCard/http/status` names `getCard`. */
  responses: OperationResponses;
  /** Identifiers to look up, such as `{ CARD_IDS: ['a1', 'b2'] }`. The embedded mock provides default values. */
  identifiers: Identifiers;
}

interface WorkerFixtures {
  session: WorkerSession;
  /**
   * Session whose target has been checked. The check finds out whether the target is this API and accepts the credentials.
   * If the check fails, the fixture does not throw. In this case, `send` and `toMeet` end the test as blocked.
   * With `TRAFFIC`, the fixture sends nothing, and checks no target.
   */
  api: WorkerSession;
  getCard: OperationResponses;
  listCustomers: OperationResponses;
  /** Responses to lookups of `CUSTOMER_IDS`, and of customers that `listCustomers` returned. */
  getCustomer: OperationResponses;
  getFeeRules: OperationResponses;
  /**
   * Session after the fixture has sent the requests of all operations. With `PROBES`, the fixture also sends the probes.
   * With `TRAFFIC`, the fixture sends nothing.
   */
  behaviour: WorkerSession;
  /** Automatic fixture that sends this shard's share of each configured sweep. Without `--shard`, the fixture sends nothing. */
  sweepShare: undefined;
}

const boxed = {
  scope: 'worker',
  // Hides the steps of the fixture, whose titles contain URLs.
  box: true,
  // Switched off, because `REQUEST_TIMEOUT_MS` limits each request.
  timeout: 0,
} as const;

const testWithFixtures = base.extend<TestFixtures, WorkerFixtures>({
  send: async ({ api }, use, { errors }) => {
    await use((operation, parameters) => sendCustomRequest(api, operation, parameters));
    removeSuiteFrames(errors);
    redactErrors(api, errors);
  },
  responses: [
    async ({ api }, use, { tags }) => use(await startRequests(api, parseOperationTag(tags))),
    { box: true, timeout: 0 },
  ],
  identifiers: async ({ session }, use, { errors }) => {
    // The list of a variable with a file is empty.
    await use(session.target.identifiers);
    redactErrors(session, errors);
  },
  session: [
    async ({}, use, { config }) => {
      // Imported here, because the main process of Playwright loads this file, too, and sends no requests.
      const { exitAtUncaughtErrors, WorkerSession } = await import('./worker-session.ts');
      const session = await WorkerSession.open(config);
      if (session.target.authModule) exitAtUncaughtErrors();
      await use(session);
      await session.run?.close();
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
      await session.run?.sendAllRequests();
      await use(session);
    },
    boxed,
  ],
  sweepShare: [
    // Automatic, because Playwright may run all tests of the swept operation in another shard.
    async ({ session }, use) => {
      await session.sweepOwnShare();
      await use(undefined);
    },
    { ...boxed, auto: true },
  ],
});

/** Playwright's `test` with the fixtures of this suite. Never traces a real target. */
export const test = readConfiguration().target.isMock
  ? testWithFixtures
  : // A trace would show the headers of real requests, so that even `--trace=on` has no effect.
    testWithFixtures.extend({ trace: ['off', { scope: 'worker' }] });

async function startRequests(session: WorkerSession, operation: string): Promise<OperationResponses> {
  const responses = session.createResponses(operation);
  // Hides the API calls in this step, because the fixture is boxed. Without the step, reports would list each call.
  const sending = test.step(`requests of ${operation}`, () => responses.send());
  // A test such as `getCard/requests` shows the requests while they run, and waits for them later, in `showRequests`.
  const showsRunningRequests = test.info().tags.includes(`@${operation}/requests`);
  if (!showsRunningRequests) await sending;
  return responses;
}

function parseOperationTag(tags: string[]): string {
  const lastTag = tags.at(-1) ?? '';
  const [operation = ''] = lastTag.replace('@', '').split('/');
  return operation;
}
