import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Blocked } from '../client/reasons.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import { concludeContradictions } from '../relations/confirm.ts';
import { describeContradiction } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import type { ComparableResponse } from '../relations/shown.ts';
import {
  type Lookup,
  loadOperationRequests,
  type OperationContext,
  type OperationRequests,
} from './operation-file.ts';
import {
  compareAndStore,
  excludeFromVerdict,
  OperationRunner,
  type SentRequest,
} from './operation-runner.ts';
import { type Arguments, listDocumentedArguments, type RequestContext } from './request.ts';

/** Result of the requests of one operation, which a later worker of the run can restore. */
export interface OperationResult {
  /** Requests sorted by their text, then repetitions of requests of other operations. */
  requests: SentRequest[];
  contradictions: Observation[];
  lookups: Lookup[];
  /** Keyed hashes of identifiers that stand for two different records. No other rule that compares responses is judged for them. */
  ambiguousKeys: string[];
}

/**
 * Sends the requests of a run, one operation at a time. The caller runs an operation after those on which it depends, such as
 * `getCustomer` after `listCustomers`. The judgement of an operation does not depend on which other operations are selected.
 */
export class Session {
  readonly #context: RequestContext;
  readonly #relations: Relations<SentRequest>;
  readonly #runners = new Map<string, Promise<OperationRunner>>();
  readonly #lookups: Lookup[] = [];
  readonly #ambiguousKeys = new Set<string>();
  /** Outcome of every further request, once no connection to the target could be made. */
  #unreachable: Blocked | undefined;
  readonly #checkKinds: Observation['kind'][] = [];
  /** Last request; the next one waits for it if the target is overloaded. */
  #lastRequest: Promise<unknown> = Promise.resolve();

  /** @param secret key of the hashes of records, equal in every worker of a run */
  constructor(context: RequestContext, secret: string) {
    const { client } = context;
    // Once the target is known to be unreachable, requests are answered with the reason instead of sent.
    const get: typeof client.get = async (...request) => this.#unreachable ?? this.#send(client, request);
    this.#context = { ...context, client: { ...client, get } };
    this.#relations = new Relations(context.contract.operations, { secret });
  }

  /**
   * Checks with one request, which needs no identifier, that the target can be reached, is this API, and accepts the credentials.
   * If the response is unclear, such as HTTP 404, tries the next operation.
   */
  async checkApi(): Promise<OperationResult> {
    const requests: SentRequest[] = [];
    for (const operation of listOperationsWithoutIdentifiers(this.#context.contract)) {
      const runner = await this.#runnerFor(operation.id);
      await runner.send(buildRequiredArguments(operation));
      // The runner has just added the request to `requests`.
      const request = runner.requests.at(-1) as SentRequest;
      request.observation = { ...request.observation, isApiCheck: true };
      requests.push(request);
      if (!isUnclearCheck(request.observation)) break;
    }
    this.#noteChecks(requests);
    return { requests, contradictions: [], lookups: [], ambiguousKeys: [] };
  }

  /** Adds the stored result of an earlier worker, except requests that are known already. */
  async restore({ requests, lookups, ambiguousKeys }: OperationResult): Promise<void> {
    for (const request of requests) {
      const runner = await this.#runnerFor(request.observation.operation);
      if (!runner.requests.some(({ observation }) => isSameRequest(observation, request.observation)))
        runner.restore(request);
    }
    this.#lookups.push(...lookups);
    for (const key of ambiguousKeys) this.#ambiguousKeys.add(key);
    this.#noteChecks(requests);
  }

  /**
   * Sends the requests of an operation, then lookups of its records that earlier operations listed, then the repetitions that
   * confirm contradictions.
   */
  async run(id: string): Promise<OperationResult> {
    const runner = await this.#runnerFor(id);
    const { file, operation, send } = runner;
    const lookups = (await file.default({ target: this.#context.target, operation, send })) ?? [];
    const listedLookups = this.#lookups.filter((lookup) => lookup.operation === id);
    await Promise.all(listedLookups.map(({ parameters }) => send(parameters)));
    await this.#repeatConstants(runner);
    const { contradictions, repeated, ambiguousKeys } = await this.#confirm(runner);
    this.#lookups.push(...lookups);
    const requests = [...runner.requests.toSorted(byRequestText), ...repeated];
    return { requests, contradictions, lookups, ambiguousKeys };
  }

  /**
   * Requests pages of a list, then looks up listed records, and confirms contradictions between list and lookups.
   * @returns observations of the lookups and their contradictions, without those of the list
   */
  async lookUp(
    listId: string,
    sendPages: (context: OperationContext) => Promise<Lookup[]>,
  ): Promise<Observation[]> {
    const listRunner = await this.#runnerFor(listId);
    const { operation, send } = listRunner;
    const lookups = await sendPages({ target: this.#context.target, operation, send });
    const lookupRunners = new Set<OperationRunner>();
    const sendLookup = async (lookup: Lookup) => {
      const runner = await this.#runnerFor(lookup.operation);
      lookupRunners.add(runner);
      await runner.send(lookup.parameters);
    };
    await Promise.all(lookups.map(sendLookup));
    const contradictions: Observation[] = [];
    for (const runner of new Set([listRunner, ...lookupRunners]))
      contradictions.push(...(await this.#confirm(runner)).contradictions);
    const lookupRequests = [...lookupRunners].flatMap(({ requests }) => requests.toSorted(byRequestText));
    const observations = [...lookupRequests.map(({ observation }) => observation), ...contradictions];
    return observations.filter((observation) => observation.operation !== listId);
  }

  /** Repeats successful lookups of configured records, if a `constant` rule forbids changes between the responses. */
  async #repeatConstants(runner: OperationRunner): Promise<void> {
    if (!hasConstantRule(runner.operation)) return;
    const successes = runner.requests
      .filter(({ observation: { configured, kind } }) => configured && kind === 'success')
      .toSorted(byRequestText);
    const responses = await Promise.all(successes.map((request) => runner.repeat(request)));
    for (const response of responses) compareAndStore(this.#relations, response);
  }

  /**
   * Repeats requests to confirm contradictions. `repeated` holds repetitions of requests of other operations, without judgement.
   */
  async #confirm({ operation }: OperationRunner) {
    const repeated: SentRequest[] = [];
    const repeat = async (request: SentRequest): Promise<ComparableResponse<SentRequest>> => {
      const runner = await this.#runnerFor(request.observation.operation);
      const response = await runner.repeat(request);
      if (runner.operation !== operation) repeated.push(withdrawRepetition(runner, response.source));
      return response;
    };
    const { target, entries } = this.#context;
    const { concluded, ambiguousKeys } = await concludeContradictions(this.#relations, repeat, {
      isMock: target.isMock,
      operation,
      ambiguousKeys: this.#ambiguousKeys,
    });
    for (const key of ambiguousKeys) this.#ambiguousKeys.add(key);
    // A settled contradiction has no observation.
    const contradictions = concluded.flatMap((result) => describeContradiction(result, entries) ?? []);
    return { contradictions, repeated, ambiguousKeys };
  }

  /**
   * Sends a request. If `checkApi` received only responses such as HTTP 503, waits for the previous request and does not retry,
   * so that the circuit breaker of each operation opens after few requests. Another operation may still work behind the gateway.
   */
  #send(client: RequestContext['client'], request: Parameters<typeof client.get>) {
    const isOverloaded = this.#checkKinds.length > 0 && this.#checkKinds.every((kind) => kind === 'overload');
    if (!isOverloaded) return client.get(...request);
    const [path, breaker, overrides] = request;
    const response = this.#lastRequest.then(() =>
      client.get(path, breaker, { ...overrides, withoutRetries: true }),
    );
    this.#lastRequest = response;
    return response;
  }

  #runnerFor(id: string): Promise<OperationRunner> {
    const runner = this.#runners.get(id) ?? this.#createRunner(id);
    this.#runners.set(id, runner);
    return runner;
  }

  async #createRunner(id: string): Promise<OperationRunner> {
    const operation = this.#context.contract.operations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`the contract has no operation ${id}`);
    return new OperationRunner(
      operation,
      await loadOperationRequests(operation),
      this.#context,
      this.#relations,
    );
  }

  /** Remembers the responses to `checkApi`. No further request is sent if the last one shows that no connection can be made. */
  #noteChecks(requests: SentRequest[]): void {
    const checks = requests.map(({ observation }) => observation).filter(({ isApiCheck }) => isApiCheck);
    this.#checkKinds.push(...checks.map(({ kind }) => kind));
    const lastCheck = checks.at(-1);
    if (lastCheck?.unreachable && lastCheck.blocked)
      this.#unreachable = { blocked: lastCheck.blocked, notSent: true };
  }
}

/** Removes a repetition from its runner and from the verdict, which must not depend on which other operations are selected. */
function withdrawRepetition(runner: OperationRunner, request: SentRequest): SentRequest {
  runner.requests.splice(runner.requests.indexOf(request), 1);
  excludeFromVerdict(request);
  return request;
}

/** Returns whether two observations are of the same request. A request and its repetition are not the same. */
const isSameRequest = (first: Observation, second: Observation): boolean =>
  first.exchange === second.exchange && first.again === second.again;

/** Sorts requests by their text, repetitions last, because the order of parallel requests differs from run to run. */
function byRequestText({ observation: first }: SentRequest, { observation: second }: SentRequest): number {
  const repetitionOrder = Number(first.again ?? false) - Number(second.again ?? false);
  return repetitionOrder || first.exchange.localeCompare(second.exchange, 'en', { numeric: true });
}

/** Returns the operations that need no identifier such as a card's `id`, those with the fewest required parameters first. */
const listOperationsWithoutIdentifiers = ({ operations }: Contract): Operation[] =>
  operations
    .filter(
      ({ parameters }) => !parameters.some((parameter) => parameter.required && parameter['x-identifiers']),
    )
    .toSorted((first, second) => countRequired(first) - countRequired(second));

const countRequired = ({ parameters }: Operation): number =>
  parameters.filter(({ required }) => required).length;

function buildRequiredArguments(operation: Operation): Arguments {
  const requiredArguments: Arguments = {};
  for (const { name, required } of operation.parameters) {
    if (!required) continue;
    const [firstValue] = listDocumentedArguments(operation, name);
    if (firstValue) requiredArguments[name] = firstValue;
  }
  return requiredArguments;
}

/**
 * Returns whether `checkApi` has to try another operation. A success in the promised envelope, HTTP 401 or 403, and a failed
 * connection are clear; any other outcome is not.
 */
const isUnclearCheck = ({ kind, lacksEnvelope, unreachable }: Observation): boolean =>
  !unreachable && kind !== 'unauthorized' && (kind !== 'success' || lacksEnvelope === true);

/** Estimates the number of requests to a conforming target, including the check of the API. */
export async function estimateRequests(
  contract: Contract,
  target: Target,
  selected: Operation[],
): Promise<number> {
  const counts = await Promise.all(
    selected.map(async (operation) => {
      const file: OperationRequests = await loadOperationRequests(operation);
      return file.estimateRequests(target, operation) + countRepeatedRecords(operation, target);
    }),
  );
  const [checkedOperation] = listOperationsWithoutIdentifiers(contract);
  // The check sends a request that its own operation would send anyway.
  const isCheckExtra = checkedOperation !== undefined && !selected.includes(checkedOperation);
  return counts.reduce((sum, count) => sum + count, isCheckExtra ? 1 : 0);
}

/** Counts the configured identifiers that are looked up twice because of a `constant` rule. */
function countRepeatedRecords(operation: Operation, { identifiers }: Target): number {
  if (!hasConstantRule(operation)) return 0;
  // A parameter without `x-identifiers`, such as `limit`, takes no identifier: no variable has an empty name.
  return operation.parameters.flatMap((parameter) => identifiers[parameter['x-identifiers'] ?? ''] ?? [])
    .length;
}

const hasConstantRule = ({ rules }: Operation): boolean => rules.some(({ check }) => 'constant' in check);
