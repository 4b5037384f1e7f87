import { operations as routes } from '../../../mock/operations.ts';
import type { Alter, MockRequest, MockResponse } from '../../../mock/server.ts';

export type Condition = (request: MockRequest) => boolean;
/** Returns a changed answer of the mock, or undefined to keep the answer. May change the answer in place. */
export type Change = (response: MockResponse, request: MockRequest) => MockResponse | undefined;

export const operations = routes.map(({ operation }) => operation);

/** Applies `change` to answers of an operation, if their `code` is 200 and the request meets `when` (default: always). */
export function altering(operation: string, change: Change, when: Condition = () => true): Alter {
  return (response, request) => {
    const isSuccess = request.operation === operation && (response.body as { code: number }).code === 200;
    const changedAnswer = isSuccess && when(request) ? change(response, request) : undefined;
    return changedAnswer ?? response;
  };
}

export const readData = <T>({ body }: MockResponse) => (body as { data: T }).data;

/** Sets the HTTP status, but not the `code` in the body. */
export const setStatus =
  (code: number): Change =>
  (response) => ({ ...response, status: code });
export const setContentType =
  (value: string): Change =>
  (response) => ({ ...response, headers: { ...response.headers, 'content-type': value } });
export const sendRaw =
  (text: string | Buffer): Change =>
  (response) => ({ ...response, raw: text });
/** Changes the JSON text of a body, for texts that `JSON.stringify` never returns, such as one with a duplicate key. */
export const editJson =
  (edit: (json: string) => string): Change =>
  (response) => ({ ...response, raw: edit(JSON.stringify(response.body)) });
/** Sets the field at a path such as `data/customers/-1/uuid` (last customer); undefined removes it. A missing path changes nothing. */
export const set =
  (path: string, value: unknown): Change =>
  (response) => {
    const steps = path.split('/');
    const lastStep = steps.pop() ?? '';
    let container = response.body as Record<string, unknown>;
    for (const step of steps) {
      const child = Array.isArray(container) && step === '-1' ? container.at(-1) : container[step];
      if (typeof child !== 'object' || child === null) return undefined;
      container = child as Record<string, unknown>;
    }
    container[lastStep] = value;
    return response;
  };

export const hasParameter =
  (name: string, value?: string): Condition =>
  ({ parameters }) =>
    value === undefined ? name in parameters : parameters[name] === value;
export const lacksParameters =
  (...names: string[]): Condition =>
  ({ parameters }) =>
    !names.some((name) => name in parameters);
export const allOf =
  (...conditions: Condition[]): Condition =>
  (request) =>
    conditions.every((isMet) => isMet(request));
export const startsFrom =
  (minOffset: number): Condition =>
  ({ parameters }) =>
    Number(parameters.offset ?? 0) >= minOffset;

export const inTurn =
  (...alters: Alter[]): Alter =>
  async (response, request) => {
    let altered = response;
    for (const alter of alters) altered = await alter(altered, request);
    return altered;
  };

/** Selects requests with `type=user` and no `user_id`, which must be rejected (contract 4.4). */
export const withoutUser = allOf(hasParameter('type', 'user'), lacksParameters('user_id'));

export const answering = (operation: string, when: Condition, replacement: Partial<MockResponse>): Alter => {
  const defaultAnswer = { status: 200, headers: { 'content-type': 'application/json' }, body: null };
  return (response, request) =>
    request.operation === operation && when(request)
      ? structuredClone({ ...defaultAnswer, ...replacement })
      : response;
};
