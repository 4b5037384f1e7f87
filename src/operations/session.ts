import type { Operation } from '../../schemas/contract/contract.ts';
import type { Blocked } from '../client/reasons.ts';
import type { Observation } from '../redact/observation.ts';
import type { ComparableResponse } from '../relations/comparable.ts';
import { concludeContradictions } from '../relations/confirm.ts';
import { createContradictionObservation } from '../relations/findings.ts';
import { Relations } from '../relations/relations.ts';
import {
  findOperation,
  hasConstantRule,
  type Lookup,
  listApiCheckOperations,
  loadOperationRequests,
  type SweptList,
} from './operation-file.ts';
import {
  compareResponse,
  excludeFromVerdict,
  OperationRunner,
  type SentRequest,
} from './operation-runner.ts';
import { type Arguments, listDocumentedArguments, type RequestContext } from './request.ts';

export interface OperationResult {
  requests: SentRequest[];
  contradictions: Observation[];
  lookups: Lookup[];
  /** Hashes of identifiers that two records share, contrary to a `unique` rule. */
  ambiguousKeys: string[];
}

/** Sends the requests of a run and compares the responses of its operations. */
export class Session {
  readonly #context: RequestContext;
  readonly #relations: Relations<SentRequest>;
  readonly #runners = new Map<string, Promise<OperationRunner>>();
  readonly #lookups: Lookup[] = [];
  readonly #ambiguousKeys = new Set<string>();
  /** Outcome of all further requests. Undefined unless the check of the API found the target unreachable. */
  #unreachable: Blocked | undefined;
  readonly #checkKinds: Observation['kind'][] = [];
  /**
   * Outcome of the latest request to an overloaded target. The next request waits for this outcome. With any other target, requests
   * do not wait.
   */
  #lastResponse: Promise<unknown> = Promise.resolve();

  /** @param secret key of the record hashes. Sessions that exchange results need the same key. */
  constructor(context: RequestContext, secret: string) {
    const { client } = context;
    const get: typeof client.get = async (...request) => this.#unreachable ?? this.#send(client, request);
    this.#context = { ...context, client: { ...client, get } };
    this.#relations = new Relations(context.contract.operations, { secret });
  }

  /**
   * Checks whether the target is reachable, is this API, and accepts the credentials. Sends requests that need no identifier, one
   * after another. Stops at the first clear result, such as HTTP 401.
   * @returns `requests` holds the requests of the check. `contradictions`, `lookups` and `ambiguousKeys` are empty.
   */
  async checkApi(): Promise<OperationResult> {
    const requests: SentRequest[] = [];
    for (const operation of listApiCheckOperations(this.#context.contract)) {
      const runner = await this.#getRunner(operation.id);
      await runner.send(buildRequiredArguments(operation));
      // The runner has just added the request to `requests`.
      const request = runner.requests.at(-1) as SentRequest;
      request.observation = { ...request.observation, isApiCheck: true };
      requests.push(request);
      if (!isUnclearCheck(request.observation)) break;
    }
    this.#rememberChecks(requests);
    return { requests, contradictions: [], lookups: [], ambiguousKeys: [] };
  }

  /** Adds the results of another worker process. Skips requests that this session already has. */
  async restore({ requests, lookups, ambiguousKeys }: OperationResult): Promise<void> {
    for (const request of requests) {
      const runner = await this.#getRunner(request.observation.operation);
      const isKnown = runner.requests.some(({ observation }) =>
        isSameRequest(observation, request.observation),
      );
      if (!isKnown) runner.restore(request);
    }
    this.#lookups.push(...lookups);
    for (const key of ambiguousKeys) this.#ambiguousKeys.add(key);
    this.#rememberChecks(requests);
  }

  /**
   * Sends the requests of an operation, including lookups of records that an earlier operation has listed. Run `listCustomers`
   * before `getCustomer`, so that `getCustomer` looks up listed customers.
   * @param id id of the operation, such as `getCard`
   */
  async run(id: string): Promise<OperationResult> {
    const runner = await this.#getRunner(id);
    const { file, operation, send } = runner;
    const newLookups = (await file.default({ target: this.#context.target, operation, send })) ?? [];
    // `newLookups` are for operations that run later. The lookups sent now come from an earlier operation.
    const lookupsOfOperation = this.#lookups.filter((lookup) => lookup.operation === id);
    await Promise.all(lookupsOfOperation.map(({ parameters }) => send(parameters)));
    await this.#repeatForConstantRules(runner);
    const { contradictions, otherRepetitions, ambiguousKeys } = await this.#concludeContradictions(runner);
    this.#lookups.push(...newLookups);
    const sortedRequests = runner.requests.toSorted(compareByRequestLine);
    const requests = [...sortedRequests, ...otherRepetitions];
    return { requests, contradictions, lookups: newLookups, ambiguousKeys };
  }

  /**
   * Looks up some records of a list, and compares the lookups with pages of the list. The session must be new, because the result
   * contains all lookups of the session.
   * @param listId id of the operation that returns the list, such as `listCustomers`
   * @param list export `sweptList` of the operation's file, such as `src/operations/listCustomers.ts`. The function
   *   `list.selectLookups` selects the records to look up.
   * @param pages parameters of each page to request, such as `limit=20&offset=40`
   * @returns observations of the lookups, and of contradictions between lookups and pages. Observations of the pages are left out.
   */
  async lookUp(listId: string, list: SweptList, pages: Arguments[]): Promise<Observation[]> {
    const { operation, send } = await this.#getRunner(listId);
    const lookups = await list.selectLookups({ target: this.#context.target, operation, send }, pages);
    const sendLookup = async (lookup: Lookup) => {
      const runner = await this.#getRunner(lookup.operation);
      await runner.send(lookup.parameters);
    };
    await Promise.all(lookups.map(sendLookup));
    const runners = await Promise.all(this.#runners.values());
    const contradictions: Observation[] = [];
    for (const runner of runners) {
      const concluded = await this.#concludeContradictions(runner);
      contradictions.push(...concluded.contradictions);
    }
    // These include all earlier requests of the session.
    const requests = runners.flatMap((runner) => runner.requests.toSorted(compareByRequestLine));
    const observations = [...requests.map(({ observation }) => observation), ...contradictions];
    // The caller has judged the pages of the list itself.
    return observations.filter((observation) => observation.operation !== listId);
  }

  async #repeatForConstantRules(runner: OperationRunner): Promise<void> {
    if (!hasConstantRule(runner.operation)) return;
    const successes = runner.requests
      .filter(({ observation: { configured, kind } }) => configured && kind === 'success')
      .toSorted(compareByRequestLine);
    // Repeats the last lookup first. If two replicas respond by turns, each lookup is then repeated by the other replica. In the
    // original order, each of an even number of lookups would reach the same replica again.
    const reversedSuccesses = successes.toReversed();
    const responses = await Promise.all(reversedSuccesses.map((request) => runner.repeat(request)));
    const responsesInOriginalOrder = responses.toReversed();
    for (const response of responsesInOriginalOrder) compareResponse(this.#relations, response);
  }

  /**
   * Decides which contradictions break a rule of the operation. Repeats requests if necessary.
   * @returns `contradictions` holds observations of the contradictions that break a rule or remain undecided.
   *   `otherRepetitions` holds the repeated requests of operations other than `operation`.
   */
  async #concludeContradictions({
    operation,
  }: OperationRunner): Promise<
    Omit<OperationResult, 'requests' | 'lookups'> & { otherRepetitions: SentRequest[] }
  > {
    const otherRepetitions: SentRequest[] = [];
    const repeat = async (request: SentRequest): Promise<ComparableResponse<SentRequest>> => {
      const runner = await this.#getRunner(request.observation.operation);
      const response = await runner.repeat(request);
      const isOfOtherOperation = runner.operation !== operation;
      // The verdict on the other operation must not depend on these repetitions.
      if (isOfOtherOperation) otherRepetitions.push(withdrawRepetition(runner, response.source));
      return response;
    };
    const { target } = this.#context;
    const { concluded, newAmbiguousKeys } = await concludeContradictions(this.#relations, repeat, {
      isMock: target.isMock,
      operation,
      knownAmbiguousKeys: this.#ambiguousKeys,
    });
    for (const key of newAmbiguousKeys) this.#ambiguousKeys.add(key);
    // Only a settled contradiction, whose latest responses agree, has no observation.
    const contradictions = concluded
      .map(createContradictionObservation)
      .filter((observation) => observation !== undefined);
    return { contradictions, otherRepetitions, ambiguousKeys: newAmbiguousKeys };
  }

  #send(client: RequestContext['client'], request: Parameters<typeof client.get>) {
    if (!this.#isTargetOverloaded()) return client.get(...request);
    // One request at a time and without retries, so that the circuit breaker can stop an operation after few requests.
    const [path, breaker, overrides] = request;
    const response = this.#lastResponse.then(() =>
      client.get(path, breaker, { ...overrides, withoutRetries: true }),
    );
    this.#lastResponse = response;
    return response;
  }

  #isTargetOverloaded(): boolean {
    const hasChecked = this.#checkKinds.length > 0;
    return hasChecked && this.#checkKinds.every((kind) => kind === 'overload');
  }

  #getRunner(id: string): Promise<OperationRunner> {
    const runner = this.#runners.get(id) ?? this.#createRunner(id);
    this.#runners.set(id, runner);
    return runner;
  }

  async #createRunner(id: string): Promise<OperationRunner> {
    const operation = findOperation(this.#context.contract, id);
    const file = await loadOperationRequests(operation);
    return new OperationRunner(operation, file, this.#context, this.#relations);
  }

  #rememberChecks(requests: SentRequest[]): void {
    const observations = requests.map(({ observation }) => observation);
    const checks = observations.filter(({ isApiCheck }) => isApiCheck);
    this.#checkKinds.push(...checks.map(({ kind }) => kind));
    const lastCheck = checks.at(-1);
    const unreachableReason = lastCheck?.unreachable ? lastCheck.blocked : undefined;
    if (unreachableReason) this.#unreachable = { blocked: unreachableReason, notSent: true };
  }
}

function withdrawRepetition(runner: OperationRunner, request: SentRequest): SentRequest {
  // The verdict on `getCustomer` must not depend on whether `listCustomers` runs (`--grep`) and repeats its requests.
  runner.requests.splice(runner.requests.indexOf(request), 1);
  excludeFromVerdict(request);
  return request;
}

const isSameRequest = (first: Observation, second: Observation): boolean =>
  first.requestText === second.requestText && first.again === second.again;

/** Orders requests by request line, with repeated requests last. */
function compareByRequestLine(
  { observation: first }: SentRequest,
  { observation: second }: SentRequest,
): number {
  const isFirstRepetition = first.again === true;
  const isSecondRepetition = second.again === true;
  if (isFirstRepetition !== isSecondRepetition) return isFirstRepetition ? 1 : -1;
  return first.requestText.localeCompare(second.requestText, 'en', { numeric: true });
}

/** Chooses the first documented value of each required parameter. @throws if a required parameter has no `enum` */
export function buildRequiredArguments(operation: Operation): Arguments {
  const requiredArguments: Arguments = {};
  for (const { name, required } of operation.parameters) {
    if (!required) continue;
    const [firstArgument] = listDocumentedArguments(operation, name);
    if (firstArgument) requiredArguments[name] = firstArgument;
  }
  return requiredArguments;
}

function isUnclearCheck({ kind, lacksEnvelope, unreachable }: Observation): boolean {
  const isSuccessOfThisApi = kind === 'success' && !lacksEnvelope;
  const isDenied = kind === 'unauthorized' || kind === 'forbidden';
  const isClear = isSuccessOfThisApi || isDenied || unreachable;
  return !isClear;
}
