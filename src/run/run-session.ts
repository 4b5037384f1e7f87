import { startMock } from '../../mock/server.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { entriesFor } from '../../schemas/contract/ledger.ts';
import { createClient, type OpenClient } from '../client/http-client.ts';
import { thrown } from '../client/signing.ts';
import type { Target } from '../client/target.ts';
import type { Lookup } from '../operations/operation-file.ts';
import type { SentRequest } from '../operations/operation-runner.ts';
import { argumentsOf, type RequestContext, sendAndJudge } from '../operations/request.ts';
import { type OperationResult, Session } from '../operations/session.ts';
import { observeBehaviour } from '../questions/behaviour.ts';
import { createContentReader } from '../questions/content.ts';
import { type RecordedAnswers, readRecorded } from '../questions/drift.ts';
import type { ProbeContext } from '../questions/probes.ts';
import { Secrets, secretsOf } from '../redact/secrets.ts';
import { keyedHash } from '../relations/record-table.ts';
import { Progress } from '../sweep/progress.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { sweepJournals, sweepOperation } from '../sweep/sweep-operation.ts';
import { Totals } from '../verdict/totals.ts';
import { hashKeyOf, type RunIdentity, seal, traceOf, unseal } from './run-identity.ts';
import type { RunStore, StoredPart } from './store.ts';

/** Names of the parts of a run that are no operation. */
export const partNames = {
  run: 'run',
  session: 'session',
  api: 'api',
  behaviour: 'behaviour',
  traffic: 'traffic',
} as const;

/** Name of the part that holds the sweeps of an operation. */
export const sweepPart = (operation: string): string => `${operation}-sweep`;

/** Secret part of what is stored of an operation. */
interface Sealed {
  requests: Pick<SentRequest, 'arguments' | 'summary'>[];
  lookups: Lookup[];
}

/** What `RunSession.open` needs. */
export interface RunOptions {
  target: Target;
  contract: Contract;
  identity: RunIdentity;
  store: RunStore;
}

/**
 * The sending side of a run in one worker: the client, the requests of each operation, and the store that outlives the worker.
 * Worker fixtures are thin wrappers of its methods.
 */
export class RunSession {
  readonly contract: Contract;
  readonly target: Target;
  readonly store: RunStore;
  readonly client: OpenClient;
  readonly #session: Session;
  readonly #context: RequestContext & ProbeContext & { client: OpenClient };
  readonly #identity: RunIdentity;
  readonly #recorded: RecordedAnswers;
  readonly #closeMock: () => Promise<void>;
  readonly #restored = new Set<string>();

  #listener: RequestContext['onSend'];

  private constructor(
    { target, contract, identity, store }: RunOptions,
    client: OpenClient,
    secrets: Secrets,
    closeMock: () => Promise<void>,
  ) {
    this.contract = contract;
    this.target = target;
    this.store = store;
    this.client = client;
    this.#identity = identity;
    this.#closeMock = closeMock;
    this.#recorded = readRecorded(target.recordFile);
    const entries = entriesFor(contract.ledger, target.name, identity.startedAt);
    const onSend: RequestContext['onSend'] = (text, observation) => this.#listener?.(text, observation);
    const readContent = createContentReader(contract, keyedHash(hashKeyOf(identity)));
    this.#context = { contract, target, client, entries, secrets, onSend, readContent };
    this.#session = new Session(this.#context, hashKeyOf(identity));
  }

  /** Starts the embedded mock if it is the target, and opens the client. @throws an error for people if there can be no client */
  static async open(options: RunOptions): Promise<RunSession> {
    const { target, identity } = options;
    const secrets = new Secrets(secretsOf(target));
    const mock = target.baseUrl ? undefined : await startMock();
    const baseUrl = target.baseUrl ?? mock?.url ?? '';
    const closeMock = async () => mock?.close();
    try {
      const client = await createClient(target, baseUrl, secrets.add, traceOf(identity));
      return new RunSession(options, client, secrets, closeMock);
    } catch (error) {
      await closeMock();
      throw error;
    }
  }

  /** Passes each request on as it is sent. */
  onSend(listener: NonNullable<RequestContext['onSend']>): void {
    this.#listener = listener;
  }

  /** Sends the first requests of a run, which show whether the target is reached and is this API. */
  checkApi(): Promise<StoredPart> {
    return this.#once(partNames.api, async () => this.#storable(await this.#session.checkApi()));
  }

  /** Sends the requests of an operation, after those that it depends on. */
  async requestOperation(id: string): Promise<StoredPart> {
    await this.checkApi();
    for (const list of listsOf(this.#operation(id))) await this.requestOperation(list);
    const part = await this.#once(id, async () => this.#storable(await this.#session.run(id)));
    await this.sweep(id);
    return part;
  }

  /** Sends probes where `PROBES` is set, and answers what the contract leaves open from all observations. */
  async requestBehaviour(): Promise<StoredPart> {
    const ordinary: StoredPart[] = [];
    for (const { id } of this.contract.operations) ordinary.push(await this.requestOperation(id));
    const observations = ordinary.flatMap((part) => part.observations);
    return this.#once(partNames.behaviour, async () => {
      const { behaviour, probes } = await observeBehaviour(this.#context, observations, this.#recorded);
      return { ...this.#counts(), observations: [], behaviour, probes };
    });
  }

  /** Sweeps what belongs to an operation, with the journal that an interrupted run is reported from. */
  async sweep(id: string): Promise<void> {
    const operation = this.#operation(id);
    if ((await sweepJournals(operation, this.target)).length === 0) return;
    await this.#once(sweepPart(id), async () => {
      const totals = new Totals();
      const sweeps: SweepResult[] = [];
      const progress = new Progress();
      const { readContent: _, ...context } = this.#context;
      await sweepOperation({ ...context, totals, sweeps, progress }, operation);
      const observations = totals.observations.map((sum) => ({ ...sum, swept: true as const }));
      return { ...this.#counts(), observations, sweeps };
    });
  }

  /** Sends a request of a team's own test, with the address, credentials, rate and ids of the run. @throws if there is no response */
  async send(id: string, parameters: Record<string, string>) {
    const operation = this.#operation(id);
    const { onSend: _, readContent: __, ...context } = this.#context;
    const { judged, observation, answer } = await sendAndJudge(
      context,
      operation,
      argumentsOf(operation, parameters),
    );
    if (!judged || !answer)
      throw new Error(`${observation.exchange} has no response: ${observation.blocked}`);
    return { answer, body: judged.body, observation };
  }

  /** Closes the client. What custom tests have sent is counted as a part of its own. */
  async close(): Promise<void> {
    const counts = this.#counts();
    if (counts.sent > 0)
      await this.store.once(`custom-${process.pid}`, async () => ({ ...counts, observations: [] }));
    await this.client.close();
    await this.#closeMock();
  }

  /** Makes a part once in a run. What the suite itself fails at is a problem of the part, so that reports name it. */
  async #once(name: string, make: () => Promise<StoredPart>): Promise<StoredPart> {
    const { part, isNew } = await this.store.once(name, () =>
      make().catch((error) => ({ ...this.#counts(), observations: [], problem: problemOf(name, error) })),
    );
    if (!isNew && part.sealed && !this.#restored.has(name))
      await this.#session.restore(this.#restorable(part, part.sealed));
    this.#restored.add(name);
    return part;
  }

  #storable({ requests, contradictions, lookups, ambiguousKeys }: OperationResult): StoredPart {
    const sealed: Sealed = {
      requests: requests.map(({ arguments: parameters, summary }) => ({
        arguments: parameters,
        ...(summary ? { summary } : {}),
      })),
      lookups,
    };
    return {
      ...this.#counts(),
      observations: requests.map(({ observation }) => observation),
      shown: requests.map(({ shown }) => shown),
      contradictions,
      ambiguousKeys,
      sealed: seal(this.#identity, sealed),
    };
  }

  #restorable(part: StoredPart, sealed: string): OperationResult {
    const { requests, lookups } = unseal<Sealed>(this.#identity, sealed);
    const restored = requests.map((request, index): SentRequest => {
      const shown = part.shown?.[index];
      return {
        ...request,
        observation: part.observations[index] as SentRequest['observation'],
        ...(shown ? { shown } : {}),
      };
    });
    return { requests: restored, contradictions: [], lookups, ambiguousKeys: part.ambiguousKeys ?? [] };
  }

  #counted = { sent: 0, retries: {} as Record<string, number> };

  /** Counts what the client has sent since this was called last. */
  #counts(): Pick<StoredPart, 'sent' | 'retries'> {
    const earlier = this.#counted;
    this.#counted = { sent: this.client.sent(), retries: { ...this.client.repeated() } };
    const retries = Object.entries(this.#counted.retries).map(
      ([reason, count]) => [reason, count - (earlier.retries[reason] ?? 0)] as const,
    );
    return {
      sent: this.#counted.sent - earlier.sent,
      retries: Object.fromEntries(retries.filter(([, count]) => count > 0)),
    };
  }

  #operation(id: string): Operation {
    const operation = this.contract.operations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`the contract has no operation ${id}`);
    return operation;
  }
}

/** Operations whose lists a lookup is compared with. */
export const listsOf = ({ rules }: Operation): string[] => [
  ...new Set(rules.flatMap(({ check }) => ('listedBy' in check ? check.listedBy : []))),
];

/** Class and place of an error alone, since its message may hold a value of the target. */
const problemOf = (name: string, error: unknown): string =>
  `the requests of ${name} ended by an error of this suite: ${thrown(error)}`;
