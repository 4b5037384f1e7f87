import { isDeepStrictEqual } from 'node:util';
import { knownIdentifiers } from '../../mock/operations.ts';
import { startMock } from '../../mock/server.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { selectEntries } from '../../schemas/contract/ledger.ts';
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
import { collectSecrets, Secrets } from '../redact/secrets.ts';
import { createKeyedHash } from '../relations/keyed-hash.ts';
import { Progress } from '../sweep/progress.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { listSweepJournals, sweepOperation } from '../sweep/sweep-operation.ts';
import { Totals } from '../verdict/totals.ts';
import { createTraceId, deriveHashKey, type RunIdentity, seal, unseal } from './run-identity.ts';
import type { RunStore, StoredPart } from './store.ts';

/**
 * Names of those parts of a run (`StoredPart`) that belong to no single operation. The part of an operation is named by its id,
 * such as `getCard`.
 */
export const partNames = {
  run: 'run',
  session: 'session',
  api: 'api',
  behaviour: 'behaviour',
  traffic: 'traffic',
} as const;

/** Returns the name of the stored part that holds the sweeps of an operation: `listCustomers-sweep`. */
export const sweepPart = (operation: string): string => `${operation}-sweep`;

/** Values that a stored part holds encrypted (`StoredPart.sealed`), because they contain identifiers of records. */
interface Sealed {
  /** Parameters of each request of an operation, and the summary of its response, in the order of `StoredPart.observations`. */
  requests: Pick<SentRequest, 'arguments' | 'summary'>[];
  /** Lookups of listed records that other operations are to send. */
  lookups: Lookup[];
}

/** Options of a `RunSession`. */
export interface RunOptions {
  target: Target;
  contract: Contract;
  identity: RunIdentity;
  store: RunStore;
}

/**
 * Open client and session of a worker. Opened by its first request, so that a worker that only reads stored parts connects to
 * nothing.
 */
interface Connection {
  context: RequestContext & ProbeContext & { client: OpenClient };
  session: Session;
  /** Closes the client, and the embedded mock if the worker has started it. */
  close(): Promise<void>;
}

/**
 * Sends the requests of a run from one worker process, on behalf of Playwright's worker fixtures. Keeps the results in a
 * `RunStore`, so that each request is sent once in a run, even if Playwright replaces the worker after a failed test.
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

  /** Sets the listener that receives each request of this worker when it is sent. Replaces an earlier listener. */
  onSend(listener: NonNullable<RequestContext['onSend']>): void {
    this.#listener = listener;
  }

  /**
   * Sends the first request of a run, or a few until one response shows whether the target can be reached and is this API. Returns
   * the stored part, whose `problem` says why not.
   */
  checkApi(): Promise<StoredPart> {
    return this.#once(partNames.api, async (connection) =>
      this.#storable(connection, await connection.session.checkApi()),
    );
  }

  /**
   * Sends the requests of an operation, and its sweep if `SWEEP` or a file of identifiers is set. First checks the API, and sends
   * the requests of the list operations whose records the operation is compared with. Sends nothing that the run has sent already.
   * Returns the stored part of the operation.
   */
  async requestOperation(id: string): Promise<StoredPart> {
    const { problem } = await this.checkApi();
    if (problem !== undefined) return this.#storeProblem(id, problem);
    for (const list of selectLists(this.#operation(id))) await this.requestOperation(list);
    const part = await this.#once(id, async (connection) =>
      this.#storable(connection, await connection.session.run(id)),
    );
    await this.sweep(id);
    return part;
  }

  /**
   * Sends the requests of all operations, and probes if `PROBES` is on. Answers the open questions from all responses. Returns the
   * stored part with the answers; with a `problem` if an operation has one.
   */
  async requestBehaviour(): Promise<StoredPart> {
    const ordinary: StoredPart[] = [];
    for (const { id } of this.contract.operations) ordinary.push(await this.requestOperation(id));
    const [problem] = ordinary.flatMap((part) => part.problem ?? []);
    if (problem !== undefined) return this.#storeProblem(partNames.behaviour, problem);
    const observations = ordinary.flatMap((part) => part.observations);
    return this.#once(partNames.behaviour, async ({ context }) => {
      const recorded = readRecorded(this.target.recordFile);
      const { behaviour, probes } = await observeBehaviour(context, observations, recorded);
      return { ...this.#counts(context.client), observations: [], behaviour, probes };
    });
  }

  /**
   * Sweeps the list of an operation if `SWEEP` is set, and its files of identifiers (`CARD_IDS=@cards.txt`), and stores the
   * results. Does nothing without either. Each sweep keeps a journal, so that `RESUME=1` can continue it and reports of an
   * interrupted run can show it.
   */
  async sweep(id: string): Promise<void> {
    const operation = this.#operation(id);
    if ((await listSweepJournals(operation, this.target)).length === 0) return;
    await this.#once(
      sweepPart(id),
      // Leaves out content and whole exchanges, which nothing reads of a sweep, so that it needs little memory.
      async ({ context: { readContent: _, keepsExchanges: __, ...context } }) => {
        const totals = new Totals();
        const sweeps: SweepResult[] = [];
        await sweepOperation({ ...context, totals, sweeps, progress: new Progress() }, operation);
        const observations = totals.observations.map((sum) => ({ ...sum, swept: true as const }));
        return { ...this.#counts(context.client), observations, sweeps };
      },
    );
  }

  /**
<<<<<<< HEAD
   * Sends a request of a custom test, with the address, credentials, rate and trace id of the run. Without a response, `answer` is
   * undefined, and `observation.blocked` is the reason.
=======
   * Sends a request of a test of the team, with the address, credentials, rate and trace id of the run. The response counts for no
   * requirement.
   * @param parameters values of the parameters, keyed by name
   * @throws an `Error` if there is no response
>>>>>>> aacefd4e (Say in src/run what a part, a mark and a place of the suite are, and how sealed values are laid out)
   */
  async send(id: string, parameters: Record<string, string>) {
    const operation = this.#operation(id);
    const { onSend: _, readContent: __, ...context } = (await this.#connect()).context;
    const values = buildArguments(operation, parameters);
    const { judged, observation, answer } = await sendAndJudge(context, operation, values);
    return { answer, body: judged?.body, observation };
  }

  /** Closes the client if it is open, after storing the number of requests that tests of the team have sent. */
  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    if (!connection) return;
    const counts = this.#counts(connection.context.client);
    if (counts.sent > 0)
      await this.store.once(`custom-${process.pid}`, async () => ({ ...counts, observations: [] }));
    await connection.close();
  }

  #connect(): Promise<Connection> {
    this.#connection ??= this.#openConnection();
    return this.#connection;
  }

  /** Opens the client, after starting the embedded mock if it is the target. Restores the stored parts of earlier workers. */
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

  /**
   * Adds the requests of all stored parts to a new session: first those of the API check, then of lists, then of lookups, because
   * the rules between responses compare in this order.
   */
  async #restoreStored(session: Session): Promise<void> {
    const ids = this.contract.operations.map(({ id }) => id);
    const lists = this.contract.operations.flatMap(selectLists);
    for (const name of new Set([partNames.api, ...lists, ...ids]))
      await this.#restore(session, name, this.store.read(name));
  }

  /**
   * Adds the requests of a stored part to a session, unless they were added before. Does nothing for a part without sent requests.
   */
  async #restore(session: Session, name: string, part: StoredPart | undefined): Promise<void> {
    if (!part?.sealed || this.#restored.has(name)) return;
    this.#restored.add(name);
    await session.restore(this.#restorable(part, part.sealed));
  }

  /**
   * Makes and stores a part of the run, unless a worker has done so before; then adds its requests to the open session. If `make`
   * throws, stores a part whose `problem` describes the error, so that reports show it. Returns the stored part.
   */
  async #once(name: string, make: (connection: Connection) => Promise<StoredPart>): Promise<StoredPart> {
    const { part, isNew } = await this.store.once(name, async () => {
      try {
        return await make(await this.#connect());
      } catch (error) {
        return { ...nothingSent, problem: describeProblem(name, error) };
      }
    });
    // The session of this worker knows the requests of a part that it has made itself.
    if (isNew) this.#restored.add(name);
    else if (this.#connection) await this.#restore((await this.#connection).session, name, part);
    return part;
  }

  /**
   * Stores a part for which nothing was sent because of a problem. Returns the part that is stored under this name, even an earlier
   * one.
   */
  async #storeProblem(name: string, problem: string): Promise<StoredPart> {
    return (await this.store.once(name, async () => ({ ...nothingSent, problem }))).part;
  }

  /**
   * Converts the result of an operation to the part to store: redacted observations in plain text, parameters and lookups
   * encrypted.
   */
  #storable(
    { context }: Connection,
    { requests, contradictions, lookups, ambiguousKeys }: OperationResult,
  ): StoredPart {
    const sealed: Sealed = {
      requests: requests.map(({ arguments: parameters, summary }) => ({
        arguments: parameters,
        ...(summary ? { summary } : {}),
      })),
      lookups,
    };
    return {
      ...this.#counts(context.client),
      observations: requests.map(({ observation }) => observation),
      shown: requests.map(({ shown }) => shown),
      contradictions,
      ambiguousKeys,
      sealed: seal(this.#identity, sealed),
    };
  }

  /**
   * Converts a stored part back to the result of an operation. Leaves out contradictions, which only reports read.
   * @param sealed `part.sealed`
   */
  #restorable(part: StoredPart, sealed: string): OperationResult {
    const { requests, lookups } = unseal<Sealed>(this.#identity, sealed);
    const restored = requests.map((request, index): SentRequest => {
      const shownRecords = part.shown?.[index];
      return {
        ...request,
        observation: part.observations[index] as SentRequest['observation'],
        ...(shownRecords ? { shown: shownRecords } : {}),
      };
    });
    return { requests: restored, contradictions: [], lookups, ambiguousKeys: part.ambiguousKeys ?? [] };
  }

  /**
   * Returns the numbers of requests and retries of the client since the previous call, and its present share of `MAX_RPS`, for one
   * part.
   */
  #counts(
    client: Pick<OpenClient, 'sent' | 'repeated' | 'rateShare'>,
  ): Pick<StoredPart, 'sent' | 'retries' | 'rateShare'> {
    const earlier = this.#counted;
    this.#counted = { sent: client.sent(), retries: { ...client.repeated() } };
    const retries = Object.entries(this.#counted.retries).map(
      ([reason, count]) => [reason, count - (earlier.retries[reason] ?? 0)] as const,
    );
    return {
      sent: this.#counted.sent - earlier.sent,
      retries: Object.fromEntries(retries.filter(([, count]) => count > 0)),
      rateShare: client.rateShare(),
    };
  }

  #operation(id: string): Operation {
    const operation = this.contract.operations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`the contract has no operation ${id}`);
    return operation;
  }
}

/** Returns the ids of the list operations with whose records an operation is compared: `['listCustomers']` for `getCustomer`. */
export const selectLists = ({ rules }: Operation): string[] => [
  ...new Set(rules.flatMap(({ check }) => ('listedBy' in check ? check.listedBy : []))),
];

/** Counts and observations of a stored part for which no request was sent. */
const nothingSent = { sent: 0, retries: {}, observations: [] };

/**
 * Describes an error that ended the requests of a part. Returns the message of a `CredentialsError`, which is for the user.
 * Describes any other error by class and place only, because its message may hold a value of the target.
 */
const describeProblem = (name: string, error: unknown): string =>
  error instanceof CredentialsError
    ? error.message
    : `an error of this suite ended the requests of ${name}: ${describeThrown(error)}`;
