import { type TestInfoError, test } from '@playwright/test';
import type { Contract } from '../schemas/contract/contract.ts';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import { findOperation } from '../src/operations/operation-file.ts';
import { dropJudgement, type Observation } from '../src/redact/observation.ts';
import { isInvalidRequest, redactTestError } from '../src/redact/test-error.ts';
import { emptyResults } from '../src/run/results.ts';
import { resultNames } from '../src/run/store.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import { BlockedRequirement, endTestAsBlocked, formatViolations, UnmetRequirement } from './failure.ts';
import type { WorkerSession } from './worker-session.ts';

export interface CustomResponse<Body> {
  status: number;
  /** Header values, keyed by name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON of the body, without validation. If the body is not JSON, the value is undefined. */
  body: Body;
}

interface JudgedCustomResponse {
  session: WorkerSession;
  operation: string;
  observation: Observation;
}

/** Judgements of the responses that `sendCustomRequest` returned, keyed by response. */
const judgedResponses = new WeakMap<object, JudgedCustomResponse>();

/** Sends the request of the fixture `send`, and returns the response. */
export async function sendCustomRequest<Id extends OperationId>(
  session: WorkerSession,
  operation: Id,
  // Playwright does not check types, so a test may leave out the parameters.
  parameters: ParametersOf<Id> = {},
): Promise<CustomResponse<BodyOf<Id>>> {
  if (!session.run)
    endTestAsBlocked(session, session.problem ?? 'TRAFFIC judges recordings, and nothing is sent');
  const { problem } = await session.run.checkApi();
  if (problem !== undefined) endTestAsBlocked(session, problem);
  const { response: httpResponse, body, observation } = await session.run.send(operation, parameters);
  if (!httpResponse) {
    const reason = `${observation.requestText} has no response: ${observation.blocked}`;
    // `endTestAsBlocked` fails only the first blocked test, and skips later ones. With `--retries`, the first one may pass in the
    // end, and then only skipped tests would show that responses are missing.
    if (test.info().project.retries > 0) throw new BlockedRequirement(reason);
    endTestAsBlocked(session, reason);
  }
  const { status, headers } = httpResponse;
  const response = { status, headers, body: body as BodyOf<Id> };
  judgedResponses.set(response, { session, operation, observation });
  return response;
}

/**
 * Describes the violations in a response, with one text for each violated requirement.
 * If the response cannot be judged, the list contains only the reason.
 * @throws {UnmetRequirement} if `response` does not come from `sendCustomRequest`
 */
export async function describeViolations(response: object): Promise<string[]> {
  const judgedResponse = judgedResponses.get(response);
  if (!judgedResponse) throw new UnmetRequirement('toConform() judges a response that `send` has returned');
  const requirementResults = evaluateResponse(judgedResponse);
  const blockedResult = requirementResults.find(({ verdict }) => verdict === 'blocked');
  if (blockedResult)
    return [`${judgedResponse.observation.requestText} cannot be judged: ${blockedResult.reason}`];
  return requirementResults.filter(({ verdict }) => verdict === 'violation').map(formatViolations);
}

function evaluateResponse({ session, operation, observation }: JudgedCustomResponse): RequirementResult[] {
  const { store, target } = session;
  const contract = session.contract as Contract;
  // The first responses of the run. They show whether the target works, so that an error response to this request can be judged.
  const firstObservations = store.read(resultNames.api)?.observations ?? [];
  // Those of the same operation are not judged here, because they are no responses to this request.
  const observationsToCompare = firstObservations.map((first) =>
    first.operation === operation ? dropJudgement(first) : first,
  );
  const results = { ...emptyResults, observations: [observation, ...observationsToCompare] };
  const judgedContract = { ...contract, operations: [findOperation(contract, operation)] };
  return evaluate(judgedContract, target, results).requirementResults;
}

/** Removes received values, which may be personal, from the errors of a custom test. With the mock, the errors stay unchanged. */
export function redactErrors({ target }: WorkerSession, errors: TestInfoError[]): void {
  // The data of the embedded mock is invented.
  if (target.isMock) return;
  for (const error of errors) redactTestError(error);
}

/** Removes the frames of this suite from the stack of an `InvalidRequest`, so that reports show the line of the custom test. */
export function removeSuiteFrames(errors: TestInfoError[]): void {
  for (const error of errors) {
    const { message, stack = '' } = error;
    if (isInvalidRequest(message))
      error.stack = stack.replace(/\n {4}at [\s\S]* at sendCustomRequest .*/, '');
  }
}
