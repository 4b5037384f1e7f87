import { loadContract, type Operation } from '../../schemas/contract.ts';
import { judge } from '../../schemas/judge.ts';
import type { Answer } from '../../schemas/judgement.ts';
import type { Entry } from '../../schemas/ledger.ts';
import { carriesRecord, claimsSuccess, refusalRuleOf } from '../../schemas/rules.ts';
import { type Observation, observe, type Request } from '../client/observation.ts';
import type { Door, Effort } from '../client/send.ts';
import type { Target } from '../client/target.ts';

/** A parameter's value: what is sent, what is shown, and how a shell finds it again. */
export interface Argument {
  value: string;
  label: string;
  shell: string;
  configured?: boolean;
}

export type Arguments = Record<string, Argument>;

/** An answer as the exchanges that build on it see it: in memory only. */
export interface Asked {
  body: unknown;
  repeat: string;
}

export interface AskOptions {
  /**
   * Whether the contract leaves open how this request is answered, as beyond the end of a list: then only a success
   * is judged. Asked only when the answer is none, since it may take requests to tell.
   */
  open?: (() => boolean | Promise<boolean>) | undefined;
}

/** What an exchanges file works with. */
export interface Session {
  target: Target;
  /** Sends a request, judges and records the answer; a request that was sent before is not sent again. */
  ask(operationId: string, parameters?: Arguments, options?: AskOptions): Promise<Asked>;
  /** All answers of another operation, once it has asked everything. */
  answers(operationId: string): Promise<Asked[]>;
}

/** A value that is the same for every target. */
export const literal = (value: string): Argument => ({ value, label: value, shell: value });

/** Each documented value of a parameter. @throws when it lists none. */
export function documentedValues(operationId: string, parameter: string): Argument[] {
  const operation = loadContract().operations.find(({ id }) => id === operationId);
  const values = operation?.parameters.find(({ name }) => name === parameter)?.schema.enum;
  if (!values) throw new Error(`spec/openapi.yaml lists no values of ${parameter} for ${operationId}`);
  return values.map((value) => literal(String(value)));
}

/** Values of a configuration variable, shown by their place in it. */
export const configured = (variable: string, values: string[]): Argument[] =>
  values.map((value, index) => ({
    value,
    label: `{${variable}[${index}]}`,
    shell: `$(cut -d, -f${index + 1} <<<"$${variable}")`,
    configured: true,
  }));

/** Records what one operation asks: at most one request each, given up when nothing comes back. */
export class Recorder {
  readonly asked: Asked[] = [];
  readonly observations: Observation[] = [];
  readonly #known = new Map<string, Promise<Asked>>();
  readonly #operation: Operation;
  readonly #door: Door;
  readonly #entries: Entry[];
  #failures = 0;

  constructor(operationId: string, door: Door, entries: Entry[]) {
    const operation = loadContract().operations.find(({ id }) => id === operationId);
    if (!operation) throw new Error(`no operation is named ${operationId}`);
    this.#operation = operation;
    this.#door = door;
    this.#entries = entries;
  }

  ask(parameters: Arguments, options: AskOptions = {}): Promise<Asked> {
    const wire = requestPath(this.#operation, parameters, 'value', encodeURIComponent);
    const known = this.#known.get(wire) ?? this.#send(wire, parameters, options);
    this.#known.set(wire, known);
    return known;
  }

  async #send(wire: string, parameters: Arguments, { open }: AskOptions): Promise<Asked> {
    const request = requestOf(this.#operation, parameters);
    const sent = Object.fromEntries(Object.entries(parameters).map(([name, { value }]) => [name, value]));
    const documented = !refusalRuleOf(this.#operation, sent);
    const answer = await this.#door.get(wire, () => this.#givenUp());
    if ('blocked' in answer) {
      if (!answer.blocked.startsWith('not sent')) this.#failures += 1;
      return this.#keep(
        { ...unjudged(request, documented), blocked: answer.blocked, ...effortOf(answer) },
        undefined,
      );
    }
    this.#failures = 0;
    const { status, body } = answer;
    const received = { status, bytes: body.length, ...effortOf(answer) };
    if (isNoSuccess(this.#operation, answer) && (await open?.()))
      return this.#keep({ ...unjudged(request, false), ...received }, undefined);
    const judgement = judge({ operation: this.#operation, parameters: sent, answer });
    const observation = observe(this.#operation, request, judgement, this.#entries);
    return this.#keep({ ...observation, documented, ...received }, judgement.body);
  }

  #givenUp(): string | undefined {
    return this.#failures < 3 ? undefined : `not sent, since ${this.#failures} requests before it failed`;
  }

  #keep(observation: Observation, body: unknown): Asked {
    this.observations.push(observation);
    const asked = { body, repeat: observation.repeat };
    this.asked.push(asked);
    return asked;
  }
}

const isNoSuccess = (operation: Operation, answer: Answer) =>
  !claimsSuccess(operation, answer) && !carriesRecord(operation, answer);

function effortOf({ durationMs, repeated }: Effort): Effort {
  return {
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(repeated === undefined ? {} : { repeated }),
  };
}

function unjudged(request: Request, documented: boolean): Observation {
  return { ...request, documented, visits: {}, states: {}, findings: [], tolerated: [] };
}

function requestOf(operation: Operation, parameters: Arguments): Request {
  const shell = requestPath(operation, parameters, 'shell', String);
  const all = Object.entries(parameters);
  return {
    operation: operation.id,
    parameters: Object.fromEntries(all.map(([name, { label }]) => [name, label])),
    configured: all.some(([, argument]) => argument.configured),
    exchange: `GET ${requestPath(operation, parameters, 'label', String)}`,
    repeat: `curl -sS -H 'Accept: application/json' "\${BASE_URL%/}${shell}"`,
  };
}

function requestPath(
  operation: Operation,
  parameters: Arguments,
  word: 'value' | 'label' | 'shell',
  encode: (text: string) => string,
): string {
  const text = (name: string) => encode(parameters[name]?.[word] ?? '');
  const query = operation.parameters
    .filter(({ name, in: place }) => place === 'query' && parameters[name])
    .map(({ name }) => `${name}=${text(name)}`);
  const route = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => text(name));
  return query.length > 0 ? `${route}?${query.join('&')}` : route;
}
