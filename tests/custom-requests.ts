import type { TestInfoError } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Observation } from '../src/redact/observation.ts';
import { redactErrorMessage } from '../src/redact/test-error.ts';
import { formatFailure } from '../src/verdict/entry.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import { blockTest, isFinding, UnmetRequirement } from './failure.ts';
import type { WorkerSession } from './worker-session.ts';

/** Response to a request that a custom test has sent by the fixture `send`. */
export interface CustomResponse<Body> {
  status: number;
  /** Header values, keyed by lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** Body as parsed JSON, undefined if it is no JSON. Has the type of the contract, but only `toConform()` checks that. */
  body: Body;
}

/** What `toConform()` needs about each response that `send` has returned, keyed by the response object. */
const judgedResponses = new WeakMap<
  object,
  { session: WorkerSession; operation: string; observation: Observation }
>();

/**
 * Sends a request for a custom test: the fixture `send`. Remembers the response, so that `toConform()` can judge it.
 * Blocks the test as `blockTest` does if the run sends nothing (a recording, a mistake in the configuration), or no response arrives.
 */
export async function sendCustomRequest<Id extends OperationId>(
  session: WorkerSession,
  operation: Id,
  parameters: ParametersOf<Id>,
): Promise<CustomResponse<BodyOf<Id>>> {
  if (!session.run) blockTest(session, session.problem ?? 'TRAFFIC judges recordings, and nothing is sent');
  const { answer, body, observation } = await session.run.send(operation, parameters);
  if (!answer) blockTest(session, `${observation.exchange} has no response: ${observation.blocked}`);
  const response = { status: answer.status, headers: answer.headers, body: body as BodyOf<Id> };
  judgedResponses.set(response, { session, operation, observation });
  return response;
}

/**
 * Describes each requirement that a response violates. If the response cannot be judged, returns one text with the reason. Returns `[]` if
 * the response conforms to the contract.
 * @throws {UnmetRequirement} if `sendCustomRequest` did not return the response
 */
export async function describeViolations(response: object): Promise<string[]> {
  const judgedResponse = judgedResponses.get(response);
  if (!judgedResponse) throw new UnmetRequirement('toConform() judges a response that `send` has returned');
  const { session, observation, operation } = judgedResponse;
  const { contract } = session;
  if (!contract) return [];
  const operations = [session.operation(operation)];
  // Judged together with the first responses of the run: a rejection alone would look like a target that rejects all credentials.
  const firstObservations = session.store.read('api')?.observations ?? [];
  const results = {
    run: undefined,
    observations: [observation, ...firstObservations.filter((first) => first.operation !== operation)],
  };
  const { requirementResults } = evaluate({ ...contract, operations }, session.target, results);
  const blockedResult = requirementResults.find(({ verdict }) => verdict === 'blocked');
  if (blockedResult) return [`${observation.exchange} cannot be judged: ${blockedResult.reason}`];
  return requirementResults
    .filter(({ verdict }) => verdict === 'violation')
    .map((result) =>
      formatFailure(
        result,
        result.findings.filter(({ kind }) => kind === 'violation'),
      ),
    );
}

/**
 * Removes values from the errors of a custom test in place, because Playwright and Allure show the errors of each failed test. Leaves
 * errors of this suite, which are redacted already, and all errors of a run against the embedded mock, whose data is invented.
 */
export function redactErrors({ target }: WorkerSession, errors: TestInfoError[]): void {
  if (target.isMock) return;
  for (const error of errors) {
    const { message = '', stack = '' } = error;
    if (isFinding(message)) continue;
    const stackFrames = stack.startsWith(message) ? stack.slice(message.length) : '';
    error.message = `${redactErrorMessage(message)} failed; its values are withheld, since they may be personal`;
    error.stack = error.message + stackFrames;
    delete error.value;
    delete error.cause;
  }
}
