import { operations as routes } from '../../../mock/operations.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../mock/server.ts';

/** Predicate that selects the requests whose answers a test changes. */
export type Condition = (request: MockRequest) => boolean;
/** Function that returns the changed answer; undefined if there is nothing to change. May change the passed answer in place. */
export type Change = (answer: MockAnswer, request: MockRequest) => MockAnswer | undefined;

/** Ids of all operations of the mock. */
export const operations = routes.map(({ operation }) => operation);

/** Creates an `Alter` that changes the answers of an operation with `code` 200, if the request meets `when` (by default any). */
export function altering(operation: string, change: Change, when: Condition = () => true): Alter {
  return (answer, request) => {
    const isAffected = request.operation === operation && (answer.body as { code: number }).code === 200;
    return (isAffected && when(request) && change(answer, request)) || answer;
  };
}

/** Returns `data` in the body of a successful answer. The caller vouches for the type. */
export const dataOf = <T>({ body }: MockAnswer) => (body as { data: T }).data;

/** Creates a change of the HTTP status, which leaves the body alone. */
export const status =
  (code: number): Change =>
  (answer) => ({ ...answer, status: code });
/** Creates a change of the header `Content-Type`. */
export const contentType =
  (value: string): Change =>
  (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': value } });
/** Creates a change that sends these bytes as the body. */
export const raw =
  (text: string | Buffer): Change =>
  (answer) => ({ ...answer, raw: text });
/** Creates a change of the body's JSON text, for bodies that no value yields, such as duplicate keys. */
export const text =
  (edit: (json: string) => string): Change =>
  (answer) => ({ ...answer, raw: edit(JSON.stringify(answer.body)) });
/**
 * Creates a change that sets a value at a path of the body, such as `data/cards/0/id`; the step `-1` is the last element. The value
 * undefined removes the field. Changes nothing if the body does not have the path.
 */
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

/** Creates a condition: the request has the parameter, and with this value if one is given. */
export const has =
  (name: string, value?: string): Condition =>
  ({ parameters }) =>
    value === undefined ? name in parameters : parameters[name] === value;
/** Creates a condition: the request has none of the parameters. */
export const lacks =
  (...names: string[]): Condition =>
  ({ parameters }) =>
    !names.some((name) => name in parameters);
/** Creates a condition: all conditions hold. */
export const allOf =
  (...conditions: Condition[]): Condition =>
  (request) =>
    conditions.every((holds) => holds(request));
/** Creates a condition: `offset`, by default 0, is at least `min`. */
export const offsetFrom =
  (min: number): Condition =>
  ({ parameters }) =>
    Number(parameters.offset ?? 0) >= min;

/** Condition of a lookup that must be rejected: fee rules with `type=user` and without `user_id` (contract 4.4). */
export const withoutUser: Condition = (request) => has('type', 'user')(request) && lacks('user_id')(request);

/**
 * Creates an `Alter` that replaces the answers of an operation to requests that meet `when`. `replacement` overrides HTTP 200,
 * `application/json` and the body `null`.
 */
export const answering = (operation: string, when: Condition, replacement: Partial<MockAnswer>): Alter => {
  const defaultAnswer = { status: 200, headers: { 'content-type': 'application/json' }, body: null };
  return (answer, request) =>
    request.operation === operation && when(request)
      ? structuredClone({ ...defaultAnswer, ...replacement })
      : answer;
};
