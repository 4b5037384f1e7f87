import { operations as routes } from '../../../mock/operations.ts';
import type { MockResponse } from '../../../mock/responses.ts';
import type { Alter, MockRequest } from '../../../mock/server.ts';

export type Condition = (request: MockRequest) => boolean;
/** Returns a changed response of the mock, or undefined to keep the response. May also change the response in place. */
export type Change = (response: MockResponse, request: MockRequest) => MockResponse | undefined;

export const operations = routes.map(({ operation }) => operation);

/** Creates an `Alter` that changes responses with `code` 200 to the requests selected by `when`: `altering('getCard', setStatus(201))`. */
export function altering(operation: string, change: Change, when: Condition = () => true): Alter {
  return (response, request) => {
    if (request.operation !== operation) return response;
    const { code } = response.body as { code: number };
    if (code !== 200 || !when(request)) return response;
    return change(response, request) ?? response;
  };
}

export const readData = <T>({ body }: MockResponse) => (body as { data: T }).data;

/** Sets the HTTP status, but not the `code` in the body. */
export const setStatus =
  (status: number): Change =>
  (response) => ({ ...response, status });
export const setContentType =
  (value: string): Change =>
  (response) => ({ ...response, headers: { ...response.headers, 'content-type': value } });
export const sendRaw =
  (text: string | Buffer): Change =>
  (response) => ({ ...response, raw: text });
/** Changes the JSON text of a body. Allows texts that `JSON.stringify` never returns, such as `{"code":200,"code":200}`. */
export const editJson =
  (edit: (json: string) => string): Change =>
  (response) => ({ ...response, raw: edit(JSON.stringify(response.body)) });
/** Sets a field of the body: `set('data/customers/-1/uuid', 'a')` changes the last customer. The value `undefined` removes the field. */
export const set =
  (path: string, value: unknown): Change =>
  (response) => {
    const steps = path.split('/');
    const fieldName = steps.pop() ?? '';
    let container = response.body as Record<string, unknown>;
    for (const step of steps) {
      const child = Array.isArray(container) && step === '-1' ? container.at(-1) : container[step];
      if (typeof child !== 'object' || child === null) return undefined;
      container = child as Record<string, unknown>;
    }
    container[fieldName] = value;
    return response;
  };

/** Selects requests with a parameter. @param value value of the parameter; default: any */
export const hasParameter =
  (name: string, value?: string): Condition =>
  ({ parameters }) =>
    value === undefined ? name in parameters : parameters[name] === value;
/** Selects requests that have none of these parameters. */
export const lacksParameters =
  (...names: string[]): Condition =>
  ({ parameters }) =>
    !names.some((name) => name in parameters);
export const allOf =
  (...conditions: Condition[]): Condition =>
  (request) =>
    conditions.every((isMet) => isMet(request));
/** Selects requests for pages at this `offset` or a later one. */
export const startsFrom =
  (minOffset: number): Condition =>
  ({ parameters }) =>
    Number(parameters.offset ?? 0) >= minOffset;

/** Combines several `Alter` functions into one. Each of them changes the response that the previous one returns. */
export const applyInOrder =
  (...alters: Alter[]): Alter =>
  async (response, request) => {
    let alteredResponse = response;
    for (const alter of alters) alteredResponse = await alter(alteredResponse, request);
    return alteredResponse;
  };

/** Selects requests with `type=user` and no `user_id`, which must be rejected (contract 4.4). */
export const withoutUser = allOf(hasParameter('type', 'user'), lacksParameters('user_id'));

/** Creates an `Alter` that replaces responses to requests selected by `when`. The replacement `{ status: 404 }` has the body `null`. */
export const answering = (operation: string, when: Condition, replacement: Partial<MockResponse>): Alter => {
  const defaultResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: null };
  return (response, request) => {
    if (request.operation !== operation || !when(request)) return response;
    return structuredClone({ ...defaultResponse, ...replacement });
  };
};
