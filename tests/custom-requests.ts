import type { BodyOf, OperationId, ParametersOf } from '../schemas/generated/operations.ts';
import type { Observation } from '../src/redact/observation.ts';
import { failureText } from '../src/verdict/entry.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import { UnmetRequirement } from './failure.ts';
import type { WorkerSession } from './worker-session.ts';

/** Response to a request of a team's own test. */
export interface CustomResponse<Body> {
  status: number;
  /** Header values, keyed by lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** Parsed body, typed as the contract has it; undefined if it is not JSON. `toConform()` shows whether the type is true. */
  body: Body;
}

/** What `expect(response).toConform()` needs to know about a response beside what the test sees. */
const judgedResponses = new WeakMap<
  object,
  { session: WorkerSession; operation: string; observation: Observation }
>();

/** Sends a request of an operation. @throws an error for people if nothing can be sent, or if there is no response */
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

/** Returns the requirements that a response violates, each with its text, or why it cannot be judged. */
export async function violationsOf(response: object): Promise<string[]> {
  const judged = judgedResponses.get(response);
  if (!judged) throw new UnmetRequirement('toConform() judges a response that `send` has returned');
  const { session, observation, operation } = judged;
  const contract = session.contract;
  if (!contract) return [];
  const operations = [session.operation(operation)];
  // Beside the first request of the run, so that one rejection is not taken for a target that rejects everything.
  const checks = session.store.read('api')?.observations ?? [];
  const results = {
    run: undefined,
    observations: [observation, ...checks.filter((check) => check.operation !== operation)],
  };
  const { requirementResults } = evaluate({ ...contract, operations }, session.target, results);
  const blocked = requirementResults.find(({ verdict }) => verdict === 'blocked');
  if (blocked) return [`${observation.exchange} cannot be judged: ${blocked.reason}`];
  return requirementResults
    .filter(({ verdict }) => verdict === 'violation')
    .map((result) =>
      failureText(
        result,
        result.findings.filter(({ kind }) => kind === 'violation'),
      ),
    );
}
