import { isDeepStrictEqual } from 'node:util';
import { knownIdentifiers } from '../../mock/operations.ts';
import { startMock } from '../../mock/server.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { selectEntries } from '../../schemas/contract/ledger.ts';
import type { Counts, HttpResponse } from '../../schemas/judge/judged.ts';
import { createClient, type HttpClient } from '../client/http-client.ts';
import { CredentialsError } from '../client/reasons.ts';
import { describeThrown } from '../client/signing.ts';
import type { Target } from '../client/target.ts';
import { findOperation, getComparedListIds } from '../operations/operation-file.ts';
import type { SentRequest } from '../operations/operation-runner.ts';
import { buildArguments, type RequestContext, sendAndJudge } from '../operations/request.ts';
import { type OperationResult, Session } from '../operations/session.ts';
import { observeBehaviour } from '../questions/behaviour.ts';
import { createContentReader } from '../questions/content.ts';
import { readRecordedAnswers } from '../questions/drift.ts';
import type { ProbeContext } from '../questions/probes.ts';
import { createKeyedHash } from '../redact/keyed-hash.ts';
import type { Observation } from '../redact/observation.ts';
import { collectSecrets, Secrets } from '../redact/secrets.ts';
import { Progress } from '../sweep/progress.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { listSweepJournals, sweepOperation } from '../sweep/sweep-operation.ts';
import { Totals } from '../verdict/totals.ts';
import { collectGarbageEarly } from './collect-garbage-early.ts';
import { createTraceId, decrypt, deriveHashKey, encrypt, type RunIdentity } from './run-identity.ts';
import {
  emptyStoredResult,
  getSweepResultName,
  type RunStore,
  resultNames,
  type StoredResult,
} from './store.ts';

/** Part of a stored result that is encrypted. This part may contain identifiers of customers. */
interface SealedContent extends Pick<OperationResult, 'lookups' | 'ambiguousKeys'> {
  /** Sent requests, in the order of `StoredResult.observations`. */
  requests: Omit<SentRequest, 'observation'>[];
}

export interface RunOptions {
  target: Target;
  contract: Contract;
  identity: RunIdentity;
  store: RunStore;
  onSend?: RequestContext['onSend'];
}

/** HTTP client and `Session` of a worker. Both are created for the first request of the worker. */
interface Connection {
  context: ProbeContext & { client: HttpClient };
  session: Session;
  close(): Promise<void>;
}

/**
 * Sends requests from a worker process. Requests that another worker of the run has sent are not sent again.
 * Requests of custom tests are always sent.
 */
export class RunSession {
  readonly contract: Contract;
  readonly target: Target;
  readonly store: RunStore;
  readonly #identity: RunIdentity;
  readonly #onSend: RequestContext['onSend'];
  readonly #resultNamesInSession = new Set<string>();
  #connection: Promise<Connection> | undefined;
  #isSweeping = false;
  #storedCounts = { sent: 0, retries: {} as Record<string, number> };

  constructor({ target, contract, identity, store, onSend }: RunOptions) {
    this.contract = contract;
    this.target = target;
    this.store = store;
    this.#identity = identity;
    this.#onSend = onSend;
  }

  /** Checks whether the target is this API and accepts the credentials. Only the first call in a run sends requests. */
  checkApi(): Promise<StoredResult> {
    return this.#createOnce(resultNames.api, async (connection) =>
      this.#toStoredResult(connection, await connection.session.checkApi()),
    );
  }

  /**
   * Sends the requests of an operation and of its sweep. If the operation is compared with a list, sends the requests of the list
   * first. For example, `getCustomer` is compared with `listCustomers`. Requests that a worker of the run has sent already are not
   * sent again.
   * @returns stored result of the operation, without the results of the sweep. If the stored result has a `problem`, its
   *   `observations` are empty.
   */
  async requestOperation(id: string): Promise<StoredResult> {
    const { problem } = await this.checkApi();
    if (problem !== undefined) return this.#storeProblem(id, problem);
    for (const listId of getComparedListIds(findOperation(this.contract, id)))
      await this.requestOperation(listId);
    const result = await this.#createOnce(id, async (connection) =>
      this.#toStoredResult(connection, await connection.session.run(id)),
    );
    await this.sweep(id);
    return result;
  }

  /**
   * Sends the requests of all operations, and answers the open questions of the contract.
   * @returns stored result with the answers in `behaviour`. If the result has a `problem`, there are no answers.
   */
  async sendAllRequests(): Promise<StoredResult> {
    const results: StoredResult[] = [];
    for (const { id } of this.contract.operations) results.push(await this.requestOperation(id));
    const failedResult = results.find(({ problem }) => problem !== undefined);
    if (failedResult?.problem !== undefined)
      return this.#storeProblem(resultNames.behaviour, failedResult.problem);
    const observations = results.flatMap((result) => result.observations);
    return this.#createOnce(resultNames.behaviour, async ({ context }) => {
      // Compares the answers with those of an earlier `PROBES=record`. With `PROBES`, also sends probes and random requests.
      const recordedAnswers = readRecordedAnswers(this.target.answersFile);
      const { behaviour, probes } = await observeBehaviour(context, observations, recordedAnswers);
      return { ...this.#takeNewCounts(context.client), observations: [], behaviour, probes };
    });
  }

  /**
   * Sweeps an operation. Requests the pages of its list (`SWEEP`), and each identifier of a file (`CARD_IDS=@cards.txt`).
   * Sends nothing if no sweep of the operation is configured, or if a worker of the run has swept the operation already.
   */
  async sweep(id: string): Promise<void> {
    const operation = findOperation(this.contract, id);
    const hasSweep = (await listSweepJournals(operation, this.target)).length > 0;
    if (!hasSweep) return;
    await this.#createOnce(getSweepResultName(id), (connection) => this.#sendSweep(connection, operation));
  }

  async #sendSweep(connection: Connection, operation: Operation): Promise<StoredResult> {
    collectGarbageEarly();
    // Without these two properties, a sweep keeps only sums of its responses, so that it needs little memory.
    const { readContent: _, keepsExchanges: __, ...context } = connection.context;
    const totals = new Totals();
    const sweeps: SweepResult[] = [];
    this.#isSweeping = true;
    try {
      await sweepOperation({ ...context, totals, sweeps, progress: new Progress() }, operation);
    } finally {
      this.#isSweeping = false;
    }
    return { ...this.#takeNewCounts(context.client), observations: totals.observations, sweeps };
  }

  /**
   * Sends a request of the operation `id` for a custom test.
   * @returns `response` is undefined if the request was blocked, for example by a timeout. `body` is the parsed JSON of the
   *   response. If the response has no readable JSON, `body` is undefined.
   */
  async send(
    id: string,
    parameters: Record<string, string>,
  ): Promise<{ response: HttpResponse | undefined; body: unknown; observation: Observation }> {
    const operation = findOperation(this.contract, id);
    const connection = await this.#connect();
    // The requests of custom tests neither appear as steps nor answer the open questions of the contract.
    const { onSend: _, readContent: __, ...context } = connection.context;
    const values = buildArguments(operation, parameters);
    const { judged, observation, response } = await sendAndJudge(context, operation, values);
    return { response, body: judged?.body, observation };
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    if (!connection) return;
    // Counts the requests of custom tests. All other requests were counted when their results were stored.
    const uncounted = this.#takeNewCounts(connection.context.client);
    // The journal of an interrupted sweep counts its requests.
    if (uncounted.sent > 0 && !this.#isSweeping)
      await this.store.createOnce(`custom-${process.pid}`, async () => ({ ...uncounted, observations: [] }));
    await connection.close();
  }

  #connect(): Promise<Connection> {
    this.#connection ??= this.#openConnection();
    return this.#connection;
  }

  async #openConnection(): Promise<Connection> {
    const { target } = this;
    const embeddedMock = target.baseUrl ? undefined : await startMock();
    const baseUrl = target.baseUrl ?? embeddedMock?.url ?? '';
    const secrets = new Secrets(collectSecrets(target));
    // Reports also redact the secrets that the client obtains later, such as an access token.
    const client = await createClient(target, baseUrl, secrets.add, createTraceId(this.#identity));
    const hashKey = deriveHashKey(this.#identity);
    const context = this.#createContext(client, secrets, hashKey);
    const session = new Session(context, hashKey);
    await this.#restoreAll(session);
    // The client stops after three responses with HTTP 401. Responses that earlier workers received count, too.
    for (const status of this.#listEarlierStatuses()) client.countEarlierStatus(status);
    const close = async () => {
      await client.close();
      await embeddedMock?.close();
    };
    return { context, session, close };
  }

  #listEarlierStatuses(): number[] {
    return Object.entries(this.store.readAll()).flatMap(([name, { observations }]) =>
      observations
        // A sweep sums up several responses. The result of an operation repeats the responses of the check of the target.
        .filter(({ isApiCheck, requests }) => requests === 1 && (!isApiCheck || name === resultNames.api))
        // A gateway may limit the rate before the target checks the credentials, also with HTTP 403.
        .filter(({ kind }) => kind !== 'rate limit')
        .flatMap(({ status }) => status ?? []),
    );
  }

  #createContext(client: HttpClient, secrets: Secrets, hashKey: string): Connection['context'] {
    const { target, contract } = this;
    const entries = selectEntries(contract.ledger, target.name, this.#identity.startedAt);
    const readContent = createContentReader(contract, createKeyedHash(hashKey));
    const isEmbeddedMock = !target.baseUrl;
    // Unredacted exchanges are kept only of the mock, and only with its own identifiers: configured ones may be those of real customers.
    const hasInventedIdentifiers = isDeepStrictEqual(target.identifiers, knownIdentifiers);
    const keepsExchanges = isEmbeddedMock && hasInventedIdentifiers;
    return { contract, target, client, entries, secrets, onSend: this.#onSend, readContent, keepsExchanges };
  }

  async #restoreAll(session: Session): Promise<void> {
    const operationIds = this.contract.operations.map(({ id }) => id);
    const listIds = this.contract.operations.flatMap(getComparedListIds);
    // Lists come before lookups, because each restored lookup is compared with the lists.
    const orderedNames = new Set([resultNames.api, ...listIds, ...operationIds]);
    for (const name of orderedNames) await this.#restoreRequests(session, name, this.store.read(name));
  }

  async #restoreRequests(session: Session, name: string, result: StoredResult | undefined): Promise<void> {
    // Only a result with `sealed` has requests to restore. A result with a `problem` has none.
    if (!result?.sealed || this.#resultNamesInSession.has(name)) return;
    this.#resultNamesInSession.add(name);
    await session.restore(this.#toOperationResult(result, result.sealed));
  }

  async #restoreRequestsIfConnected(name: string, result: StoredResult): Promise<void> {
    // If `AUTH_MODULE` cannot be loaded, the promise rejects. `checkApi` has stored that `problem`, and there is no session.
    const connection = await this.#connection?.catch(() => undefined);
    if (connection) await this.#restoreRequests(connection.session, name, result);
  }

  async #createOnce(
    name: string,
    createResult: (connection: Connection) => Promise<StoredResult>,
  ): Promise<StoredResult> {
    const { result, isNew } = await this.store.createOnce(name, async () => {
      try {
        const connection = await this.#connect();
        const result = await createResult(connection);
        await connection.context.client.closeSpareConnections();
        return result;
      } catch (error) {
        return { ...emptyStoredResult, problem: describeProblem(name, error) };
      }
    });
    // The session of this worker has sent the requests of a new result. Requests that another worker has sent must be added to the session.
    if (isNew) this.#resultNamesInSession.add(name);
    else await this.#restoreRequestsIfConnected(name, result);
    return result;
  }

  async #storeProblem(name: string, problem: string): Promise<StoredResult> {
    const { result } = await this.store.createOnce(name, async () => ({ ...emptyStoredResult, problem }));
    return result;
  }

  #toStoredResult(
    { context }: Connection,
    { requests, contradictions, ...lookupsAndKeys }: OperationResult,
  ): StoredResult {
    const requestsWithoutObservation = requests.map(({ observation: _, ...request }) => request);
    const content: SealedContent = { ...lookupsAndKeys, requests: requestsWithoutObservation };
    return {
      ...this.#takeNewCounts(context.client),
      observations: requests.map(({ observation }) => observation),
      contradictions,
      sealed: encrypt(this.#identity, content),
    };
  }

  #toOperationResult({ observations }: StoredResult, sealed: string): OperationResult {
    const { requests, ...lookupsAndKeys } = decrypt<SealedContent>(this.#identity, sealed);
    const requestsWithObservation = requests.map((request, index): SentRequest => {
      const observation = observations[index] as SentRequest['observation'];
      return { ...request, observation };
    });
    // Only reports read the stored contradictions.
    return { ...lookupsAndKeys, requests: requestsWithObservation, contradictions: [] };
  }

  #takeNewCounts(
    client: Pick<HttpClient, 'countRequests' | 'countRetries' | 'rateShare'>,
  ): Pick<StoredResult, 'sent' | 'retries' | 'rateShare'> {
    const earlierCounts = this.#storedCounts;
    const currentCounts = { sent: client.countRequests(), retries: { ...client.countRetries() } };
    this.#storedCounts = currentCounts;
    return {
      sent: currentCounts.sent - earlierCounts.sent,
      retries: subtractCounts(currentCounts.retries, earlierCounts.retries),
      rateShare: client.rateShare(),
    };
  }
}

function subtractCounts(current: Counts, earlier: Counts): Counts {
  const growth: Counts = {};
  for (const [name, currentCount] of Object.entries(current)) {
    const newCount = currentCount - (earlier[name] ?? 0);
    if (newCount > 0) growth[name] = newCount;
  }
  return growth;
}

const describeProblem = (resultName: string, error: unknown): string =>
  // Messages of other errors may hold secrets.
  error instanceof CredentialsError
    ? error.message
    : `an error of this suite ended the requests of ${resultName}: ${describeThrown(error)}`;
