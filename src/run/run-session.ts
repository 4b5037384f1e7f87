import { isDeepStrictEqual } from 'node:util';
import { knownIdentifiers } from '../../mock/operations.ts';
import { startMock } from '../../mock/server.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { selectEntries } from '../../schemas/contract/ledger.ts';
import { pickDefined } from '../../schemas/json.ts';
import { createClient, type OpenClient } from '../client/http-client.ts';
import { CredentialsError } from '../client/reasons.ts';
import { describeThrown } from '../client/signing.ts';
import type { Target } from '../client/target.ts';
import type { Lookup } from '../operations/operation-file.ts';
import type { SentRequest } from '../operations/operation-runner.ts';
import { buildArguments, type RequestContext, sendAndJudge } from '../operations/request.ts';
import { type OperationResult, Session } from '../operations/session.ts';
import { observeBehaviour } from '../questions/behaviour.ts';
import { createContentReader } from '../questions/content.ts';
import { readRecorded } from '../questions/drift.ts';
import type { ProbeContext } from '../questions/probes.ts';
import { createKeyedHash } from '../redact/keyed-hash.ts';
import { collectSecrets, Secrets } from '../redact/secrets.ts';
import { Progress } from '../sweep/progress.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { listSweepJournals, sweepOperation } from '../sweep/sweep-operation.ts';
import { Totals } from '../verdict/totals.ts';
import { collectGarbageEarly } from './collect-garbage-early.ts';
import { createTraceId, deriveHashKey, type RunIdentity, seal, unseal } from './run-identity.ts';
import { emptyPart, type RunStore, type StoredPart } from './store.ts';

/** Names of stored results that belong to no single operation. */
export const partNames = {
  run: 'run',
  session: 'session',
  api: 'api',
  behaviour: 'behaviour',
  traffic: 'traffic',
} as const;

export const sweepPart = (operation: string): string => `${operation}-sweep`;

/** Content of `StoredPart.sealed`, encrypted because it contains identifiers. */
interface Sealed {
  /** In the order of `StoredPart.observations`. */
  requests: Pick<SentRequest, 'arguments' | 'summary'>[];
  lookups: Lookup[];
}

export interface RunOptions {
  target: Target;
  contract: Contract;
  identity: RunIdentity;
  store: RunStore;
}

/** HTTP client and session. Opened by the first request, so that a worker that only reads stored results connects to nothing. */
interface Connection {
  context: RequestContext & ProbeContext & { client: OpenClient };
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
  readonly #restored = new Set<string>();
  #connection: Promise<Connection> | undefined;
  #listener: RequestContext['onSend'];
  #counted = { sent: 0, retries: {} as Record<string, number> };

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
   * Sends requests until one shows whether the target can be reached and is this API. The result has a `problem` if the token
   * server, `AUTH_MODULE` or this suite failed.
   */
  checkApi(): Promise<StoredPart> {
    return this.#makeOnce(partNames.api, async (connection) =>
      this.#toStoredPart(connection, await connection.session.checkApi()),
    );
  }

  /**
   * Checks the API, requests the lists with which an operation is compared (such as `listCustomers`), sends the requests of the
   * operation, and sweeps it if `SWEEP` or `CARD_IDS=@…` is set. Repeats nothing that the run has done already.
   */
  async requestOperation(id: string): Promise<StoredPart> {
    const { problem } = await this.checkApi();
    if (problem !== undefined) return this.#storeProblem(id, problem);
    for (const listId of selectLists(this.#findOperation(id))) await this.requestOperation(listId);
    const part = await this.#makeOnce(id, async (connection) =>
      this.#toStoredPart(connection, await connection.session.run(id)),
    );
    await this.sweep(id);
    return part;
  }

  /** Sends the requests of all operations and, with `PROBES`, the probes. The result has the answers to the open questions. */
  async requestBehaviour(): Promise<StoredPart> {
    const parts: StoredPart[] = [];
    for (const { id } of this.contract.operations) parts.push(await this.requestOperation(id));
    const [problem] = parts.flatMap((part) => part.problem ?? []);
    if (problem !== undefined) return this.#storeProblem(partNames.behaviour, problem);
    const observations = parts.flatMap((part) => part.observations);
    return this.#makeOnce(partNames.behaviour, async ({ context }) => {
      const recorded = readRecorded(this.target.recordFile);
      const { behaviour, probes } = await observeBehaviour(context, observations, recorded);
      return { ...this.#takeCounts(context.client), observations: [], behaviour, probes };
    });
  }

  /** Sweeps the list of an operation (`SWEEP`) and its files of identifiers (`CARD_IDS=@cards.txt`), if either is set. */
  async sweep(id: string): Promise<void> {
    const operation = this.#findOperation(id);
    if ((await listSweepJournals(operation, this.target)).length === 0) return;
    await this.#makeOnce(
      sweepPart(id),
      // Leaves out content and whole exchanges, which nothing reads of a sweep, so that it needs little memory.
      async ({ context: { readContent: _, keepsExchanges: __, ...context } }) => {
        collectGarbageEarly();
        const totals = new Totals();
        const sweeps: SweepResult[] = [];
        await sweepOperation({ ...context, totals, sweeps, progress: new Progress() }, operation);
        const observations = totals.observations.map((sum) => ({ ...sum, swept: true as const }));
        return { ...this.#takeCounts(context.client), observations, sweeps };
      },
    );
  }

  /** Sends a request of a custom test, which no requirement judges. Without a response, `observation.blocked` is the reason. */
  async send(id: string, parameters: Record<string, string>) {
    const operation = this.#findOperation(id);
    const { onSend: _, readContent: __, ...context } = (await this.#connect()).context;
    const values = buildArguments(operation, parameters);
    const { judged, observation, response } = await sendAndJudge(context, operation, values);
    return { response, body: judged?.body, observation };
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    if (!connection) return;
    const counts = this.#takeCounts(connection.context.client);
    if (counts.sent > 0)
      await this.store.makeOnce(`custom-${process.pid}`, async () => ({ ...counts, observations: [] }));
    await connection.close();
  }

  #connect(): Promise<Connection> {
    this.#connection ??= this.#openConnection();
    return this.#connection;
  }

  async #openConnection(): Promise<Connection> {
    const { target, contract } = this;
    const secrets = new Secrets(collectSecrets(target));
    const hashKey = deriveHashKey(this.#identity);
    const mock = target.baseUrl ? undefined : await startMock();
    const baseUrl = target.baseUrl ?? mock?.url ?? '';
    const client = await createClient(target, baseUrl, secrets.add, createTraceId(this.#identity));
    const entries = selectEntries(contract.ledger, target.name, this.#identity.startedAt);
    const onSend: RequestContext['onSend'] = (text, observation) => this.#listener?.(text, observation);
    const readContent = createContentReader(contract, createKeyedHash(hashKey));
    // Configured identifiers may be those of real customers, even if the target is the mock.
    const keepsExchanges = mock !== undefined && isDeepStrictEqual(target.identifiers, knownIdentifiers);
    const context = { contract, target, client, entries, secrets, onSend, readContent, keepsExchanges };
    const session = new Session(context, hashKey);
    const close = () => client.close().then(() => mock?.close());
    await this.#restoreStored(session);
    return { context, session, close };
  }

  /** Tells the session what earlier workers have sent: lists before lookups, whose records are compared with those of a list. */
  async #restoreStored(session: Session): Promise<void> {
    const ids = this.contract.operations.map(({ id }) => id);
    const lists = this.contract.operations.flatMap(selectLists);
    for (const name of new Set([partNames.api, ...lists, ...ids]))
      await this.#restoreOnce(session, name, this.store.read(name));
  }

  async #restoreOnce(session: Session, name: string, part: StoredPart | undefined): Promise<void> {
    if (!part?.sealed || this.#restored.has(name)) return;
    this.#restored.add(name);
    await session.restore(this.#toOperationResult(part, part.sealed));
  }

  /** Calls `make` and stores its result, unless the run has one. A `problem` in the result means that `make` threw. */
  async #makeOnce(name: string, make: (connection: Connection) => Promise<StoredPart>): Promise<StoredPart> {
    const { part, isNew } = await this.store.makeOnce(name, async () => {
      try {
        return await make(await this.#connect());
      } catch (error) {
        return { ...emptyPart, problem: describeProblem(name, error) };
      }
    });
    // The session of this worker knows the requests of a part that it has made itself.
    if (isNew) this.#restored.add(name);
    else if (this.#connection) await this.#restoreOnce((await this.#connection).session, name, part);
    return part;
  }

  async #storeProblem(name: string, problem: string): Promise<StoredPart> {
    return (await this.store.makeOnce(name, async () => ({ ...emptyPart, problem }))).part;
  }

  #toStoredPart(
    { context }: Connection,
    { requests, contradictions, lookups, ambiguousKeys }: OperationResult,
  ): StoredPart {
    // Encrypted, because they hold identifiers. Observations are redacted already.
    const sealed: Sealed = {
      requests: requests.map((request) => pickDefined(request, ['arguments', 'summary'])),
      lookups,
    };
    return {
      ...this.#takeCounts(context.client),
      observations: requests.map(({ observation }) => observation),
      shown: requests.map(({ shown }) => shown),
      contradictions,
      ambiguousKeys,
      sealed: seal(this.#identity, sealed),
    };
  }

  /** Converts a stored result back. Leaves contradictions empty, because only reports read them. */
  #toOperationResult(part: StoredPart, sealed: string): OperationResult {
    const { requests, lookups } = unseal<Sealed>(this.#identity, sealed);
    const restored = requests.map((request, index): SentRequest => {
      const shownRecords = part.shown?.[index];
      const observation = part.observations[index] as SentRequest['observation'];
      return { ...request, observation, ...(shownRecords ? { shown: shownRecords } : {}) };
    });
    return { requests: restored, contradictions: [], lookups, ambiguousKeys: part.ambiguousKeys ?? [] };
  }

  #takeCounts(
    client: Pick<OpenClient, 'countRequests' | 'countRetries' | 'rateShare'>,
  ): Pick<StoredPart, 'sent' | 'retries' | 'rateShare'> {
    const earlier = this.#counted;
    this.#counted = { sent: client.countRequests(), retries: { ...client.countRetries() } };
    const retries: Record<string, number> = {};
    for (const [reason, total] of Object.entries(this.#counted.retries)) {
      const count = total - (earlier.retries[reason] ?? 0);
      if (count > 0) retries[reason] = count;
    }
    return { sent: this.#counted.sent - earlier.sent, retries, rateShare: client.rateShare() };
  }

  #findOperation(id: string): Operation {
    const operation = this.contract.operations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`the contract has no operation ${id}`);
    return operation;
  }
}

/** Returns the ids of the lists with which an operation is compared: `['listCustomers']` for `getCustomer`. */
export const selectLists = ({ rules }: Operation): string[] => [
  ...new Set(rules.flatMap(({ check }) => ('listedBy' in check ? check.listedBy : []))),
];

/** Describes an error by its class and line, because its message may hold a value of the target (not of a `CredentialsError`). */
const describeProblem = (name: string, error: unknown): string =>
  error instanceof CredentialsError
    ? error.message
    : `an error of this suite ended the requests of ${name}: ${describeThrown(error)}`;
