import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import {
  type CircuitBreaker,
  effortOf,
  type HttpClient,
  type RequestOverrides,
} from '../client/http-client.ts';
import { isOtherPath, type Target } from '../client/target.ts';
import { addressInShell, curlOf, identifierInShell, plainCurl } from '../redact/curl.ts';
import type { Observation, Request } from '../redact/observation.ts';
import { blockedObservation, type Judging, type Observed, observe } from '../redact/redact.ts';

/** A parameter's value: what is sent, what is shown, and how a shell finds it again, encoded. */
export interface Argument {
  value: string;
  label: string;
  shell: string;
  configured?: boolean;
}

/** The parameters of a request, by name. */
export type Arguments = Record<string, Argument>;

/** A value that is the same for every target. */
export const literal = (value: string): Argument => ({
  value,
  label: value,
  shell: encodeURIComponent(value),
});

/** Each documented value of a parameter. @throws when it lists none. */
export function documentedValues({ id, parameters }: Operation, parameter: string): Argument[] {
  const values = parameters.find(({ name }) => name === parameter)?.schema.enum;
  if (!values) throw new Error(`spec/openapi.yaml lists no values of ${parameter} for ${id}`);
  return values.map((value) => literal(String(value)));
}

/** Identifiers of a configuration variable, shown by their place in it. */
export const configured = ({ identifiers, plainLists }: Target, variable: string): Argument[] =>
  (identifiers[variable] ?? []).map((value, index) => ({
    value,
    label: `{${variable}[${index}]}`,
    shell: identifierInShell(variable, index, plainLists.includes(variable)),
    configured: true,
  }));

const maxIdLength = 2000;

/** Whether an address can carry an identifier as one step of its path: `..` or half a character cannot be sent. */
export const fitsPath = (identifier: string): boolean =>
  identifier.length <= maxIdLength &&
  identifier !== '' &&
  !isOtherPath(identifier) &&
  !/\p{Surrogate}/u.test(identifier);

/** The raw values of parameters, by name. */
export const valuesOf = (parameters: Arguments): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, { value }]) => [name, value]));

/** Path and query of a request, as they are sent; or as they are shown, or written in a shell. */
export function pathOf(
  operation: Operation,
  parameters: Arguments,
  form: 'value' | 'label' | 'shell' = 'value',
): string {
  const encode = form === 'value' ? encodeURIComponent : String;
  const text = (name: string) => encode((parameters[name] as Argument)[form]);
  const query = operation.parameters
    .filter(({ name, in: place }) => place === 'query' && parameters[name])
    .map(({ name }) => `${name}=${text(name)}`);
  const route = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => text(name));
  return query.length > 0 ? `${route}?${query.join('&')}` : route;
}

/** A request as it may be shown; `curl` repeats it. */
export function requestOf(operation: Operation, parameters: Arguments, curl = plainCurl): Request {
  const all = Object.entries(parameters);
  return {
    operation: operation.id,
    parameters: Object.fromEntries(all.map(([name, { label }]) => [name, label])),
    configured: all.some(([, argument]) => argument.configured),
    exchange: `GET ${pathOf(operation, parameters, 'label')}`,
    repeat: `${curl} ${addressInShell(pathOf(operation, parameters, 'shell'))}`,
  };
}

/** What the requests of a run are sent and judged with. */
export interface Asking extends Judging {
  contract: Contract;
  target: Target;
  client: Pick<HttpClient, 'get'>;
  /** Shared by requests that are given up together when no response arrives. */
  breaker?: CircuitBreaker;
}

/** Sends a request, and judges its response, if there is one: an ordinary request, or one of a sweep. */
export async function ask(
  asking: Asking,
  operation: Operation,
  parameters: Arguments,
  overrides?: RequestOverrides,
): Promise<Observed | { judged?: undefined; observation: Observation }> {
  const answer = await asking.client.get(pathOf(operation, parameters), asking.breaker, overrides);
  const exchange = { operation, parameters: valuesOf(parameters) };
  const request = { ...requestOf(operation, parameters, curlOf(asking.target)), ...effortOf(answer) };
  return 'blocked' in answer
    ? { observation: blockedObservation(exchange, request, answer) }
    : observe({ ...exchange, answer }, request, asking);
}
