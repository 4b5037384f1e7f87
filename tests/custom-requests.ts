import type { TestInfoError } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Observation } from '../src/redact/observation.ts';
import { isErrorOfSuite, redactErrorMessage } from '../src/redact/test-error.ts';
import { emptyResults } from '../src/run/results.ts';
import { resultNames } from '../src/run/run-session.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import { blockTest, formatViolations, UnmetRequirement } from './failure.ts';
import type { WorkerSession } from './worker-session.ts';

export interface CustomResponse<Body> {
  status: number;
  /** Keyed by name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined if the body is no JSON. Has the documented type only if `expect(response).toConform()` passes. */
  body: Body;
}

interface JudgedCustomResponse {
  session: WorkerSession;
  operation: string;
  observation: Observation;
}

const judgedResponses = new WeakMap<object, JudgedCustomResponse>();

/** Sends a request for a custom test. Ends the test as blocked if the run only judges recordings, or if no response arrives. */
export async function sendCustomRequest<Id extends OperationId>(
  session: WorkerSession,
  operation: Id,
  parameters: ParametersOf<Id>,
): Promise<CustomResponse<BodyOf<Id>>> {
  const noRequestsReason = session.problem ?? 'TRAFFIC judges recordings, and nothing is sent';
  if (!session.run) blockTest(session, noRequestsReason);
  const { response: httpResponse, body, observation } = await session.run.send(operation, parameters);
  if (!httpResponse) blockTest(session, `${observation.exchange} has no response: ${observation.blocked}`);
  const { status, headers } = httpResponse;
  const response = { status, headers, body: body as BodyOf<Id> };
  judgedResponses.set(response, { session, operation, observation });
  return response;
}

/**
 * Describes each violation of a response that `sendCustomRequest` has returned, or why the response cannot be judged.
 * @throws {UnmetRequirement} if `sendCustomRequest` has not returned the response
 */
export async function describeViolations(response: object): Promise<string[]> {
  const judgedResponse = judgedResponses.get(response);
  if (!judgedResponse) throw new UnmetRequirement('toConform() judges a response that `send` has returned');
  const requirementResults = evaluateResponse(judgedResponse);
  const blockedResult = requirementResults.find(({ verdict }) => verdict === 'blocked');
  if (blockedResult)
    return [`${judgedResponse.observation.exchange} cannot be judged: ${blockedResult.reason}`];
  return requirementResults.filter(({ verdict }) => verdict === 'violation').map(formatViolations);
}

function evaluateResponse({ session, operation, observation }: JudgedCustomResponse): RequirementResult[] {
  const { contract, store, target } = session;
  if (!contract) return [];
  // If this response is a rejection, the first responses of the run show that the target does not reject all credentials.
  const firstOfRun = store.read(resultNames.api)?.observations ?? [];
  const firstOfOtherOperations = firstOfRun.filter((first) => first.operation !== operation);
  const judgedContract = { ...contract, operations: [session.findOperation(operation)] };
  const results = { ...emptyResults, observations: [observation, ...firstOfOtherOperations] };
  return evaluate(judgedContract, target, results).requirementResults;
}

/**
 * Removes values of responses from the errors of a custom test, because Playwright and Allure would show them. Keeps the errors
 * of this suite, which hold no values, and all errors of a run against the embedded mock, whose data is invented.
 */
export function redactErrors({ target }: WorkerSession, errors: TestInfoError[]): void {
  if (target.isMock) return;
  for (const error of errors) {
    const { message = '', stack = '' } = error;
    if (isErrorOfSuite(message)) continue;
    // A stack begins with the message, values included.
    const stackFrames = stack.startsWith(message) ? stack.slice(message.length) : '';
    error.message = `${redactErrorMessage(message)} failed; its values are withheld, since they may be personal`;
    error.stack = error.message + stackFrames;
    delete error.value;
    delete error.cause;
  }
}
