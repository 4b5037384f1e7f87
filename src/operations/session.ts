import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Blocked } from '../client/reasons.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import { confirmAll } from '../relations/confirm.ts';
import { describeContradiction } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import type { Seen } from '../relations/shown.ts';
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
import { documentedValues, type RequestContext } from './request.ts';

/** Result of `Session.run` for an operation. A later worker of the run can restore it (`Session.restore`). */
export interface OperationResult {
  /** Requests sorted by their text, then repetitions of requests of other operations. */
  requests: SentRequest[];
  /** Observations of contradictions between responses. */
  contradictions: Observation[];
  /** Lookups that other operations send for listed records. */
  lookups: Lookup[];
  /** Hashes of keys that name two records, about which no other rule between responses is judged. */
  ambiguousKeys: string[];
}

/**
 * Sends the requests of a run, one operation at a time, as Playwright's worker fixtures need them. The caller first runs the
 * operations on which an operation depends, such as `listCustomers` before `getCustomer`. Which others are selected never changes
 * the judgement of an operation.
 */
export class Session {
  readonly #context: RequestContext;
  readonly #relations: Relations<SentRequest>;
  readonly #runners = new Map<string, Promise<OperationRunner>>();
  readonly #lookups: Lookup[] = [];
  readonly #ambiguousKeys = new Set<string>();
  #unreachable: Blocked | undefined;
  /** Classes of the responses to the checks of the API. */
  readonly #checkKinds: Observation['kind'][] = [];
  /** Last request, after which the next one is sent if the target is out of order. */
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
   * Checks with one request that the target can be reached, is this API, and accepts the credentials. Needs no identifier. Tries
   * the next operation if the response is inconclusive.
   */
  async checkApi(): Promise<OperationResult> {
    const requests: SentRequest[] = [];
    for (const operation of operationsWithoutIdentifiers(this.#context.contract)) {
      const runner = await this.#runnerFor(operation.id);
      await runner.send(requiredParameters(operation));
      const request = runner.requests.at(-1) as SentRequest;
      request.observation = { ...request.observation, isApiCheck: true };
      requests.push(request);
      if (!isUnclearCheck(request.observation)) break;
    }
    this.#noteChecks(requests);
    return { requests, contradictions: [], lookups: [], ambiguousKeys: [] };
  }

  /** Adds the result of an operation that an earlier worker of the run returned. Requests that are known already are skipped. */
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
   * Sends the requests of an operation, then lookups of records that earlier operations have listed, then the repetitions that
   * rules between responses need. Keeps the lookups for later operations.
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
    for (const key of ambiguousKeys) this.#ambiguousKeys.add(key);
    const requests = [...runner.requests.toSorted(byRequestText), ...repeated];
    return { requests, contradictions, lookups, ambiguousKeys };
  }

  /**
   * Requests pages of a list, then looks up listed records, and confirms contradictions between both.
   * @param listId id of the list's operation
   * @param sendPages requests the pages, and returns the lookups to send
   * @returns observations of the lookups and their contradictions, without those of the list
   */
  async lookUp(
    listId: string,
    sendPages: (context: OperationContext) => Promise<Lookup[]>,
  ): Promise<Observation[]> {
    const list = await this.#runnerFor(listId);
    const { operation, send } = list;
    const lookups = await sendPages({ target: this.#context.target, operation, send });
    const runners = await Promise.all(lookups.map((lookup) => this.#runnerFor(lookup.operation)));
    await Promise.all(lookups.map(({ parameters }, index) => runners[index]?.send(parameters)));
    const contradictions: Observation[] = [];
    for (const runner of new Set([list, ...runners])) {
      const confirmation = await this.#confirm(runner);
      for (const key of confirmation.ambiguousKeys) this.#ambiguousKeys.add(key);
      contradictions.push(...confirmation.contradictions);
    }
    const lookupRequests = [...new Set(runners)].flatMap(({ requests }) => requests.toSorted(byRequestText));
    return [...lookupRequests.map(({ observation }) => observation), ...contradictions].filter(
      (observation) => observation.operation !== listId,
    );
  }

  /** Repeats and compares all successful lookups of configured records, if a `constant` rule forbids changes between them. */
  async #repeatConstants(runner: OperationRunner): Promise<void> {
    if (!runner.operation.rules.some(({ check }) => 'constant' in check)) return;
    const successes = runner.requests
      .filter(({ observation: { configured, kind } }) => configured && kind === 'success')
      .toSorted(byRequestText);
    const responses = await Promise.all(successes.map((request) => runner.repeat(request)));
    for (const response of responses) compareAndStore(this.#relations, response);
  }

  /**
   * Confirms contradictions of the rules of an operation, by repeating requests. Moves repetitions of requests of other operations
   * from their runners to `repeated`, without judgement.
   */
  async #confirm({ operation }: OperationRunner) {
    const repeated: SentRequest[] = [];
    const repeat = async (request: SentRequest): Promise<Seen<SentRequest>> => {
      const runner = await this.#runnerFor(request.observation.operation);
      const response = await runner.repeat(request);
      if (runner.operation !== operation) repeated.push(withdraw(runner, response.source));
      return response;
    };
    const { target, entries } = this.#context;
    const { confirmed, ambiguousKeys } = await confirmAll(this.#relations, repeat, {
      isMock: target.isMock,
      operation,
      ambiguousKeys: this.#ambiguousKeys,
    });
    const contradictions = confirmed.flatMap((result) => describeContradiction(result, entries) ?? []);
    return { contradictions, repeated, ambiguousKeys };
  }

  /**
   * Sends a request. If the checks of the API got only responses such as HTTP 503, sends one request at a time and without retries, so
   * that the breaker of each operation opens after few requests. Another operation may still work behind the gateway.
   */
  #send(client: RequestContext['client'], request: Parameters<typeof client.get>) {
    const isOutOfOrder = this.#checkKinds.length > 0 && this.#checkKinds.every((kind) => kind === 'overload');
    if (!isOutOfOrder) return client.get(...request);
    const [path, breaker, overrides] = request;
    const response = this.#lastRequest.then(() => client.get(path, breaker, { ...overrides, once: true }));
    this.#lastRequest = response;
    return response;
  }

  /** Returns the runner of an operation; creates it at the first call. */
  #runnerFor(id: string): Promise<OperationRunner> {
    const runner = this.#runners.get(id) ?? this.#createRunner(id);
    this.#runners.set(id, runner);
    return runner;
  }

  /** Creates the runner of an operation, with its file in `src/operations`. @throws if the contract has no such operation */
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

  /**
   * Notes the responses to the checks of the API among `requests`. Stops all further requests if the last check could not connect to
   * the target.
   */
  #noteChecks(requests: SentRequest[]): void {
    const checks = requests.filter(({ observation }) => observation.isApiCheck);
    this.#checkKinds.push(...checks.map(({ observation }) => observation.kind));
    const last = checks.at(-1)?.observation;
    if (last?.unreachable && last.blocked) this.#unreachable = { blocked: last.blocked, notSent: true };
  }
}

/**
 * Removes a repetition and its judgement from its runner, and returns it: the verdict of an operation must not depend on which
 * others are selected.
 */
function withdraw(runner: OperationRunner, request: SentRequest): SentRequest {
  runner.requests.splice(runner.requests.indexOf(request), 1);
  excludeFromVerdict(request);
  return request;
}

/** Returns whether two observations are of the same request, and both or neither of a repetition. */
const isSameRequest = (first: Observation, second: Observation): boolean =>
  first.exchange === second.exchange && first.again === second.again;

/** Sorts requests by their text, repetitions last, because the order of parallel requests differs from run to run. */
const byRequestText = ({ observation: first }: SentRequest, { observation: second }: SentRequest): number =>
  Number(first.again ?? false) - Number(second.again ?? false) ||
  first.exchange.localeCompare(second.exchange, 'en', { numeric: true });

/** Returns the operations whose requests need no identifier, those with the fewest required parameters first. */
const operationsWithoutIdentifiers = ({ operations }: Contract): Operation[] =>
  operations
    .filter(
      ({ parameters }) => !parameters.some((parameter) => parameter.required && parameter['x-identifiers']),
    )
    .toSorted((first, second) => countRequired(first) - countRequired(second));

const countRequired = ({ parameters }: Operation): number =>
  parameters.filter(({ required }) => required).length;

/** Returns the first documented value of each required parameter. */
const requiredParameters = (operation: Operation) =>
  Object.fromEntries(
    operation.parameters
      .filter(({ required }) => required)
      .flatMap(({ name }) =>
        documentedValues(operation, name)
          .slice(0, 1)
          .map((value) => [name, value]),
      ),
  );

/**
 * Returns whether `checkApi` has to try another operation, because the response is neither a success in the promised envelope nor
 * HTTP 401 or 403. If no connection could be made, another operation would show no more.
 */
const isUnclearCheck = ({ kind, lacksEnvelope, unreachable }: Observation): boolean =>
  !unreachable && kind !== 'unauthorized' && (kind !== 'success' || lacksEnvelope === true);

/**
 * Estimates the number of requests that a run of the selected operations sends to a conforming target, including the check of the
 * API. Does not count retries and requests that confirm a contradiction.
 */
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
  const [checkedOperation] = operationsWithoutIdentifiers(contract);
  // The check sends a request that its own operation would send anyway.
  const isCheckExtra = checkedOperation !== undefined && !selected.includes(checkedOperation);
  return counts.reduce((sum, count) => sum + count, isCheckExtra ? 1 : 0);
}

/** Counts the configured records that are requested a second time because of a `constant` rule; 0 without such a rule. */
function countRepeatedRecords({ rules, parameters }: Operation, { identifiers }: Target): number {
  if (!rules.some(({ check }) => 'constant' in check)) return 0;
  return parameters.flatMap((parameter) => identifiers[parameter['x-identifiers'] ?? ''] ?? []).length;
}
