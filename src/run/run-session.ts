import { isDeepStrictEqual } from 'node:util';
import { knownIdentifiers } from '../../mock/operations.ts';
import { startMock } from '../../mock/server.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { selectEntries } from '../../schemas/contract/ledger.ts';
import { createClient, type HttpClient } from '../client/http-client.ts';
import { CredentialsError } from '../client/reasons.ts';
import { describeThrown } from '../client/signing.ts';
import type { Target } from '../client/target.ts';
import { findOperation } from '../operations/operation-file.ts';
import type { SentRequest } from '../operations/operation-runner.ts';
import { buildArguments, type RequestContext, sendAndJudge } from '../operations/request.ts';
import { type OperationResult, Session } from '../operations/session.ts';
import { observeBehaviour } from '../questions/behaviour.ts';
import { createContentReader } from '../questions/content.ts';
import { readRecordedAnswers } from '../questions/drift.ts';
import type { ProbeContext } from '../questions/probes.ts';
import { createKeyedHash } from '../redact/keyed-hash.ts';
import { collectSecrets, Secrets } from '../redact/secrets.ts';
import { Progress } from '../sweep/progress.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { listSweepJournals, sweepOperation } from '../sweep/sweep-operation.ts';
import { Totals } from '../verdict/totals.ts';
import { collectGarbageEarly } from './collect-garbage-early.ts';
import { createTraceId, decrypt, deriveHashKey, encrypt, type RunIdentity } from './run-identity.ts';
import { emptyStoredResult, type RunStore, type StoredResult } from './store.ts';

/** Names of the stored results that do not belong to one operation. */
export const resultNames = {
  run: 'run',
  session: 'session',
  api: 'api',
  behaviour: 'behaviour',
  traffic: 'traffic',
} as const;

export const getSweepResultName = (operation: string): string => `${operation}-sweep`;

/** Content of `StoredResult.sealed` before encryption. Contains identifiers of cards and customers. */
interface SealedContent extends Pick<OperationResult, 'lookups' | 'ambiguousKeys'> {
  /** `requests[0]` belongs to `StoredResult.observations[0]`. */
  requests: Omit<SentRequest, 'observation'>[];
}

export interface RunOptions {
  target: Target;
  contract: Contract;
  identity: RunIdentity;
  store: RunStore;
}

/** HTTP client and `Session` of a worker, created by the first request: a worker that only reads stored results needs none. */
interface Connection {
  context: ProbeContext & { client: HttpClient };
  session: Session;
  close(): Promise<void>;
}

/**
 * Sends the requests of a run from one worker process, and stores the results. Sends no request that an earlier worker has sent:
 * Playwright replaces the worker after each failed test.
 */
export class RunSession {
  readonly contract: Contract;
  readonly target: Target;
  readonly store: RunStore;
  readonly #identity: RunIdentity;
  readonly #restoredNames = new Set<string>();
  #connection: Promise<Connection> | undefined;
  #listener: RequestContext['onSend'];
  #storedCounts = { sent: 0, retries: {} as Record<string, number> };

  constructor({ target, contract, identity, store }: RunOptions) {
    this.contract = contract;
    this.target = target;
    this.store = store;
    this.#identity = identity;
  }

  onSend(listener: NonNullable<RequestContext['onSend']>): void {
    this.#listener = listener;
  }

  /**
   * Checks that the target can be reached, is this API, and accepts the credentials. Sends one request, and others only if the first
   * response leaves that unclear, as HTTP 404 does. The result has a `problem` if the token server, `AUTH_MODULE` or this suite failed.
   */
  checkApi(): Promise<StoredResult> {
    return this.#createOnce(resultNames.api, async (connection) =>
      this.#toStoredResult(connection, await connection.session.checkApi()),
    );
  }

  /**
   * Sends the requests of an operation and of its sweep. Calls `checkApi` first, and requests the lists with which the records
   * of the operation are compared, such as `listCustomers`. Repeats no request that the run has sent already.
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

  /** Sends the requests of all operations. With `PROBES`, also sends extra requests about what the contract leaves open. */
  async sendAllRequests(): Promise<StoredResult> {
    const results: StoredResult[] = [];
    for (const { id } of this.contract.operations) results.push(await this.requestOperation(id));
    const [problem] = results.flatMap((result) => result.problem ?? []);
    if (problem !== undefined) return this.#storeProblem(resultNames.behaviour, problem);
    const observations = results.flatMap((result) => result.observations);
    return this.#createOnce(resultNames.behaviour, async ({ context }) => {
      const recorded = readRecordedAnswers(this.target.answersFile);
      const { behaviour, probes } = await observeBehaviour(context, observations, recorded);
      return { ...this.#takeNewCounts(context.client), observations: [], behaviour, probes };
    });
  }

  /** Requests all pages of a list (`SWEEP`), and looks up each identifier of a file (`CARD_IDS=@cards.txt`), if either is set. */
  async sweep(id: string): Promise<void> {
    const operation = findOperation(this.contract, id);
    if ((await listSweepJournals(operation, this.target)).length === 0) return;
    await this.#createOnce(
      getSweepResultName(id),
      // Leaves out content and whole exchanges, which nothing reads of a sweep, so that it needs little memory.
      async ({ context: { readContent: _, keepsExchanges: __, ...context } }) => {
        collectGarbageEarly();
        const totals = new Totals();
        const sweeps: SweepResult[] = [];
        await sweepOperation({ ...context, totals, sweeps, progress: new Progress() }, operation);
        const observations = totals.observations.map((sum) => ({ ...sum, swept: true as const }));
        return { ...this.#takeNewCounts(context.client), observations, sweeps };
      },
    );
  }

  /** Sends a request for a custom test. Without a response, `response` is undefined and `observation.blocked` is the reason. */
  async send(id: string, parameters: Record<string, string>) {
    const operation = findOperation(this.contract, id);
    const { onSend: _, readContent: __, ...context } = (await this.#connect()).context;
    const values = buildArguments(operation, parameters);
    const { judged, observation, response } = await sendAndJudge(context, operation, values);
    return { response, body: judged?.body, observation };
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    if (!connection) return;
    const counts = this.#takeNewCounts(connection.context.client);
    if (counts.sent > 0)
      await this.store.createOnce(`custom-${process.pid}`, async () => ({ ...counts, observations: [] }));
    await connection.close();
  }

  #connect(): Promise<Connection> {
    this.#connection ??= this.#openConnection();
    return this.#connection;
  }

  async #openConnection(): Promise<Connection> {
    const { target } = this;
    const mock = target.baseUrl ? undefined : await startMock();
    const baseUrl = target.baseUrl ?? mock?.url ?? '';
    const secrets = new Secrets(collectSecrets(target));
    const client = await createClient(target, baseUrl, secrets.add, createTraceId(this.#identity));
    const hashKey = deriveHashKey(this.#identity);
    const context = this.#createContext(client, secrets, hashKey);
    const session = new Session(context, hashKey);
    await this.#restoreAll(session);
    const close = () => client.close().then(() => mock?.close());
    return { context, session, close };
  }

  #createContext(client: HttpClient, secrets: Secrets, hashKey: string): Connection['context'] {
    const { target, contract } = this;
    const entries = selectEntries(contract.ledger, target.name, this.#identity.startedAt);
    const onSend: RequestContext['onSend'] = (text, observation) => this.#listener?.(text, observation);
    const readContent = createContentReader(contract, createKeyedHash(hashKey));
    // Configured identifiers may be those of real customers, even if the target is the mock.
    const keepsExchanges = !target.baseUrl && isDeepStrictEqual(target.identifiers, knownIdentifiers);
    return { contract, target, client, entries, secrets, onSend, readContent, keepsExchanges };
  }

  /** Restores what earlier workers have received, without a request. Lists come first, because lookups are compared with them. */
  async #restoreAll(session: Session): Promise<void> {
    const ids = this.contract.operations.map(({ id }) => id);
    const listIds = this.contract.operations.flatMap(getComparedListIds);
    for (const name of new Set([resultNames.api, ...listIds, ...ids]))
      await this.#restoreOnce(session, name, this.store.read(name));
  }

  async #restoreOnce(session: Session, name: string, result: StoredResult | undefined): Promise<void> {
    if (!result?.sealed || this.#restoredNames.has(name)) return;
    this.#restoredNames.add(name);
    await session.restore(this.#toOperationResult(result, result.sealed));
  }

  /**
   * Returns the stored result `name`. If there is none, calls `createResult`, and stores and returns its result, or a `problem`
   * if it throws.
   */
  async #createOnce(
    name: string,
    createResult: (connection: Connection) => Promise<StoredResult>,
  ): Promise<StoredResult> {
    const { result, isNew } = await this.store.createOnce(name, async () => {
      try {
        return await createResult(await this.#connect());
      } catch (error) {
        return { ...emptyStoredResult, problem: describeProblem(name, error) };
      }
    });
    // The session of this worker has the requests of a result that it has created itself.
    if (isNew) this.#restoredNames.add(name);
    else if (this.#connection) await this.#restoreOnce((await this.#connection).session, name, result);
    return result;
  }

  async #storeProblem(name: string, problem: string): Promise<StoredResult> {
    return (await this.store.createOnce(name, async () => ({ ...emptyStoredResult, problem }))).result;
  }

  #toStoredResult(
    { context }: Connection,
    { requests, contradictions, ...rest }: OperationResult,
  ): StoredResult {
    // Encrypted, because it holds identifiers. Observations are redacted already.
    const content: SealedContent = {
      ...rest,
      requests: requests.map(({ observation: _, ...request }) => request),
    };
    return {
      ...this.#takeNewCounts(context.client),
      observations: requests.map(({ observation }) => observation),
      contradictions,
      sealed: encrypt(this.#identity, content),
    };
  }

  /** Decrypts a stored result for `Session.restore`. Leaves `contradictions` empty, because only reports read them. */
  #toOperationResult({ observations }: StoredResult, sealed: string): OperationResult {
    const { requests, ...content } = decrypt<SealedContent>(this.#identity, sealed);
    const restored = requests.map((request, index): SentRequest => {
      const observation = observations[index] as SentRequest['observation'];
      return { ...request, observation };
    });
    return { ...content, requests: restored, contradictions: [] };
  }

  #takeNewCounts(
    client: Pick<HttpClient, 'countRequests' | 'countRetries' | 'rateShare'>,
  ): Pick<StoredResult, 'sent' | 'retries' | 'rateShare'> {
    const earlier = this.#storedCounts;
    this.#storedCounts = { sent: client.countRequests(), retries: { ...client.countRetries() } };
    const retries: Record<string, number> = {};
    for (const [reason, total] of Object.entries(this.#storedCounts.retries)) {
      const count = total - (earlier.retries[reason] ?? 0);
      if (count > 0) retries[reason] = count;
    }
    return { sent: this.#storedCounts.sent - earlier.sent, retries, rateShare: client.rateShare() };
  }
}

/** Returns the ids of the lists that must contain the same records as an operation: `['listCustomers']` for `getCustomer`. */
export const getComparedListIds = ({ rules }: Operation): string[] => [
  ...new Set(rules.flatMap(({ check }) => ('listedBy' in check ? check.listedBy : []))),
];

/** Returns the message of a `CredentialsError`. The message of another error may be secret, so returns its class and line. */
const describeProblem = (resultName: string, error: unknown): string =>
  error instanceof CredentialsError
    ? error.message
    : `an error of this suite ended the requests of ${resultName}: ${describeThrown(error)}`;
