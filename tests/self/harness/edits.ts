import { operations as routes } from '../../../mock/operations.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../mock/server.ts';

/** Whether a change applies to a request. */
export type Condition = (request: MockRequest) => boolean;
/** Makes another answer of one, which is its own to change; undefined where there is nothing to change. */
export type Change = (answer: MockAnswer, request: MockRequest) => MockAnswer | undefined;

export const operations = routes.map(({ operation }) => operation);

/** Changes the successful answers of an operation, where a condition on the request holds. */
export function altering(operation: string, change: Change, when: Condition = () => true): Alter {
  return (answer, request) => {
    const concerned = request.operation === operation && (answer.body as { code: number }).code === 200;
    return (concerned && when(request) && change(answer, request)) || answer;
  };
}

/** What a successful answer carries. */
export const dataOf = <T>({ body }: MockAnswer) => (body as { data: T }).data;

export const status =
  (code: number): Change =>
  (answer) => ({ ...answer, status: code });
export const contentType =
  (value: string): Change =>
  (answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': value } });
/** Other bytes in place of the body. */
export const raw =
  (text: string | Buffer): Change =>
  (answer) => ({ ...answer, raw: text });
export const text =
  (edit: (json: string) => string): Change =>
  (answer) => ({ ...answer, raw: edit(JSON.stringify(answer.body)) });
/** Another value at a place of the body, such as `data/cards/0/id`; `-1` is the last element. */
export const set =
  (path: string, value: unknown): Change =>
  (answer) => {
    const steps = path.split('/');
    const last = steps.pop() ?? '';
    let at = answer.body as Record<string, unknown>;
    for (const step of steps) {
      const next = Array.isArray(at) && step === '-1' ? at.at(-1) : at[step];
      if (typeof next !== 'object' || next === null) return undefined;
      at = next as Record<string, unknown>;
    }
    at[last] = value;
    return answer;
  };

/** Where a request has a parameter, or has it with this value. */
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

/** The lookup that must be rejected: a user's rules, without saying whose (contract 4.4). */
export const withoutUser: Condition = (request) => has('type', 'user')(request) && lacks('user_id')(request);

/** Answers some requests of an operation with something else, independent of the original answer. */
export const answering = (operation: string, when: Condition, other: Partial<MockAnswer>): Alter => {
  const plain = { status: 200, headers: { 'content-type': 'application/json' }, body: null };
  return (answer, request) =>
    request.operation === operation && when(request) ? structuredClone({ ...plain, ...other }) : answer;
};
