import type { TestInfoError } from '@playwright/test';
import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Observation } from '../src/redact/observation.ts';
import { redactErrorMessage } from '../src/redact/test-error.ts';
import { formatFailure } from '../src/verdict/entry.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import { isFinding, UnmetRequirement } from './failure.ts';
import type { WorkerSession } from './worker-session.ts';

/** Response to a request that a custom test has sent. */
export interface CustomResponse<Body> {
  status: number;
  /** Header values, keyed by lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON, typed by the contract; undefined if the body is no JSON. Only `toConform()` checks the type. */
  body: Body;
}

/** Session, operation and redacted observation of each response that `send` has returned, for `expect(response).toConform()`. */
const judgedResponses = new WeakMap<
  object,
  { session: WorkerSession; operation: string; observation: Observation }
>();

/** Sends a request of a custom test (`send`). @throws an `Error` with the reason if nothing can be sent, or if no response arrives */
export async function sendCustomRequest<Id extends OperationId>(
  session: WorkerSession,
  operation: Id,
  parameters: ParametersOf<Id>,
): Promise<CustomResponse<BodyOf<Id>>> {
  if (!session.run) throw new Error(session.problem ?? 'TRAFFIC judges recordings, and nothing is sent');
  const { answer, body, observation } = await session.run.send(operation, parameters);
  const response = { status: answer.status, headers: answer.headers, body: body as BodyOf<Id> };
  judgedResponses.set(response, { session, operation, observation });
  return response;
}

/**
 * Describes each requirement that a response violates, or the reason why the response cannot be judged. Empty if it conforms.
 * @throws {UnmetRequirement} if `sendCustomRequest` did not return the response
 */
export async function describeViolations(response: object): Promise<string[]> {
  const judgedResponse = judgedResponses.get(response);
  if (!judgedResponse) throw new UnmetRequirement('toConform() judges a response that `send` has returned');
  const { session, observation, operation } = judgedResponse;
  const { contract } = session;
  if (!contract) return [];
  const operations = [session.operation(operation)];
  // Judged together with the first response of the run: a rejection alone would look like a target that rejects all credentials.
  const checks = session.store.read('api')?.observations ?? [];
  const results = {
    run: undefined,
    observations: [observation, ...checks.filter((check) => check.operation !== operation)],
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
 * Removes values from the errors of a test, because Playwright and Allure keep the error of each failed test. Leaves findings, which
 * are redacted already, and errors of a run against the embedded mock, whose data is invented.
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
