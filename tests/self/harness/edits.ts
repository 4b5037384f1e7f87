import { operations as routes } from '../../../mock/operations.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../mock/server.ts';

/** Predicate: returns true for requests whose responses change. */
export type Condition = (request: MockRequest) => boolean;
/** Changes an answer, which it may do in place. Returns undefined if there is nothing to change. */
export type Change = (answer: MockAnswer, request: MockRequest) => MockAnswer | undefined;

export const operations = routes.map(({ operation }) => operation);

/** Changes the successful answers of an operation, by default to every request. */
export function altering(operation: string, change: Change, when: Condition = () => true): Alter {
  return (answer, request) => {
    const isConcerned = request.operation === operation && (answer.body as { code: number }).code === 200;
    return (isConcerned && when(request) && change(answer, request)) || answer;
  };
}

/** Returns `data` of a successful answer. */
export const dataOf = <T>({ body }: MockAnswer) => (body as { data: T }).data;

export const status =
  (code: number): Change =>
  (answer) => ({ ...answer, status: code });
export const contentType =
  (value: string): Change =>
  (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': value } });
/** Replaces the body with raw bytes. */
export const raw =
  (text: string | Buffer): Change =>
  (answer) => ({ ...answer, raw: text });
export const text =
  (edit: (json: string) => string): Change =>
  (answer) => ({ ...answer, raw: edit(JSON.stringify(answer.body)) });
/** Sets a value at a path of the body, such as `data/cards/0/id`; `-1` is the last element. Undefined removes the value. */
export const set =
  (path: string, value: unknown): Change =>
  (answer) => {
    const steps = path.split('/');
    const last = steps.pop() ?? '';
    let container = answer.body as Record<string, unknown>;
    for (const step of steps) {
      const next = Array.isArray(container) && step === '-1' ? container.at(-1) : container[step];
      if (typeof next !== 'object' || next === null) return undefined;
      container = next as Record<string, unknown>;
    }
    container[last] = value;
    return answer;
  };

/** Holds for requests with a parameter, and with this value if one is passed. */
export const has =
  (name: string, value?: string): Condition =>
  ({ parameters }) =>
    value === undefined ? name in parameters : parameters[name] === value;
export const lacks =
  (...names: string[]): Condition =>
  ({ parameters }) =>
    !names.some((name) => name in parameters);
export const allOf =
  (...conditions: Condition[]): Condition =>
  (request) =>
    conditions.every((holds) => holds(request));
export const offsetFrom =
  (min: number): Condition =>
  ({ parameters }) =>
    Number(parameters.offset ?? 0) >= min;

/** Holds for the lookup that must be rejected: the fee rules of a user without `user_id` (contract 4.4). */
export const withoutUser: Condition = (request) => has('type', 'user')(request) && lacks('user_id')(request);

/** Answers the matching requests of an operation with `replacement`, by default HTTP 200 with the body `null`. */
export const answering = (operation: string, when: Condition, replacement: Partial<MockAnswer>): Alter => {
  const defaultAnswer = { status: 200, headers: { 'content-type': 'application/json' }, body: null };
  return (answer, request) =>
    request.operation === operation && when(request)
      ? structuredClone({ ...defaultAnswer, ...replacement })
      : answer;
};
