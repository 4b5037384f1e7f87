import { operations as routes } from '../../../mock/operations.ts';
import type { MockResponse } from '../../../mock/responses.ts';
import type { Alter, MockRequest } from '../../../mock/server.ts';

export type Condition = (request: MockRequest) => boolean;
/** Returns a changed response, or undefined to keep the given one. */
export type Change = (response: MockResponse, request: MockRequest) => MockResponse | undefined;

export const operations = routes.map(({ operation }) => operation);

/**
 * Creates an `Alter` that applies `change` to the responses of an operation that have `"code": 200` in the body.
 * @param when selects the requests whose responses change; default: all
 */
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
/** Changes the JSON text of a body, for example to invalid JSON. */
export const editJson =
  (edit: (json: string) => string): Change =>
  (response) => ({ ...response, raw: edit(JSON.stringify(response.body)) });
/** Sets a field of the JSON body, such as `set('data/card/id', '7')`. */
export const set =
  (path: string, value: unknown): Change =>
  (response) => {
    const steps = path.split('/');
    const fieldName = steps.pop() ?? '';
    let container = response.body as Record<string, unknown>;
    for (const step of steps) {
      // In an array, `-1` is the last element.
      const child = Array.isArray(container) && step === '-1' ? container.at(-1) : container[step];
      if (typeof child !== 'object' || child === null) return undefined;
      container = child as Record<string, unknown>;
    }
    // The value undefined removes the field from the JSON.
    container[fieldName] = value;
    return response;
  };

/** Selects requests with this parameter, and with this value if given. */
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

/** Combines `Alter` functions; each gets the response of the previous one. */
export const applyInOrder =
  (...alters: Alter[]): Alter =>
  async (response, request) => {
    let alteredResponse = response;
    for (const alter of alters) alteredResponse = await alter(alteredResponse, request);
    return alteredResponse;
  };

/** Selects requests with `type=user` and no `user_id`, which must be rejected (contract 4.4). */
export const withoutUser = allOf(hasParameter('type', 'user'), lacksParameters('user_id'));

/** Creates an `Alter` that responds with `replacement` to requests selected by `when`. */
export const answering = (operation: string, when: Condition, replacement: Partial<MockResponse>): Alter => {
  const defaultResponse = { status: 200, headers: { 'content-type': 'application/json' }, body: null };
  return (response, request) => {
    if (request.operation !== operation || !when(request)) return response;
    return structuredClone({ ...defaultResponse, ...replacement });
  };
};
