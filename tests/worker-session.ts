import { EventEmitter, on } from 'node:events';
import type { FullConfig } from '@playwright/test';
import { type Contract, loadContract, type Operation } from '../schemas/contract/contract.ts';
import { describeThrown } from '../src/client/signing.ts';
import type { Target } from '../src/client/target.ts';
import type { Observation } from '../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../src/redact/secrets.ts';
import { readShardTarget } from '../src/run/begin-run.ts';
import { collectResults } from '../src/run/collect-results.ts';
import { type RunIdentity, readCurrentRun } from '../src/run/run-identity.ts';
import { partNames, RunSession } from '../src/run/run-session.ts';
import { RunStore } from '../src/run/store.ts';
import { readConfiguration } from '../src/run/target.ts';
import { formatError } from '../src/run/terminal.ts';
import { hasSweep } from '../src/sweep/shards.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { Results } from '../src/verdict/results.ts';

/** Request that the suite has just sent, and whose response may not have arrived yet. */
export interface SentNow {
  /** Request line in which labels stand for identifiers, such as `GET /cards/{CARD_IDS[0]}`. */
  text: string;
  /** Resolves to the judged response, once it has arrived. */
  observation: Promise<Observation>;
}

/** Requests of one operation and their judged responses: what `expect(…).toMeet(…)` takes. `send()` sends the requests. */
export class OperationResponses {
  readonly operation: string;
  readonly session: WorkerSession;
  /** Yields each request of the operation when it is sent, until `send()` ends; none if another test or worker has sent them before. */
  readonly sending: AsyncIterable<SentNow>;
  /** Fulfilled when `send()` has ended, so that all responses are judged; fulfilled even if `send()` fails. */
  readonly judged: Promise<void>;
  readonly #requests: EventEmitter;
  #finish = () => {};

  constructor(session: WorkerSession, operation: string, requests: EventEmitter) {
    this.session = session;
    this.operation = operation;
    this.#requests = requests;
    this.sending = flatten(on(requests, 'request', { close: ['end'] }));
    this.judged = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Sends the requests of the operation. Does nothing if they were sent before in this run, or if the run judges recorded traffic. */
  async send(): Promise<void> {
    try {
      await this.session.run?.requestOperation(this.operation);
    } finally {
      this.#requests.emit('end');
      this.#finish();
    }
  }
}

/** What one worker process knows of the run: settings, contract, stored results, and the `RunSession` that sends requests. */
export class WorkerSession {
  readonly target: Target;
  readonly store: RunStore;
  /** Contract of the run; undefined if `problem` is set. */
  readonly contract: Contract | undefined;
  /** Sentence about a mistake in configuration or contract, because of which the worker sends nothing; undefined without a mistake. */
  readonly problem: string | undefined;
  /** Session that sends the requests of the run; undefined if `problem` is set, or if the run judges recorded traffic. */
  readonly run: RunSession | undefined;
  readonly #identity: RunIdentity;
  readonly #requests = new EventEmitter();
  readonly #results = new Map<string, Results>();

  private constructor(
    identity: RunIdentity,
    target: Target,
    opened: { contract?: Contract; run?: RunSession; problem?: string },
  ) {
    this.#identity = identity;
    this.target = target;
    this.contract = opened.contract;
    this.run = opened.run;
    this.problem = opened.problem;
    this.store = new RunStore(target.reportsDir, identity.id);
    this.run?.onSend((text, observation) => this.#requests.emit('request', { text, observation }));
  }

  /**
   * Opens the session of a worker process. `MAX_RPS` is divided by the number of workers. If configuration or contract have a mistake,
   * opens a session with a `problem`, and stores the problem for the reporter.
   * @throws an `Error` if no run has begun
   */
  static async open({ shard, workers }: Pick<FullConfig, 'shard' | 'workers'>): Promise<WorkerSession> {
    const identity = readCurrentRun();
    if (!identity)
      throw new Error('the run has no name: run the tests with the playwright.config.ts of this project');
    const { target: configured } = readConfiguration();
    try {
      const whole = readShardTarget(shard ?? undefined);
      const target = { ...whole, maxRps: whole.maxRps / workers };
      const contract = loadContract(target.callersLedger);
      const store = new RunStore(target.reportsDir, identity.id);
      const run = target.traffic ? undefined : new RunSession({ target, contract, identity, store });
      return new WorkerSession(identity, target, { contract, ...(run ? { run } : {}) });
    } catch (error) {
      const problem = formatError(error, configured);
      const store = new RunStore(configured.reportsDir, identity.id);
      await store.once(partNames.session, async () => ({ sent: 0, retries: {}, observations: [], problem }));
      return new WorkerSession(identity, configured, { problem });
    }
  }

  /** Sweeps the part of the records that belongs to this shard. Does nothing if the run is no shard, or has no sweep (`SWEEP`). */
  async sweepShare(): Promise<void> {
    const { shard } = this.target;
    if (!shard || !hasSweep(this.target)) return;
    for (const { id } of this.contract?.operations ?? []) await this.run?.sweep(id);
  }

  /** Creates the object that sends the requests of an operation and gives access to their responses. Does not send them yet. */
  prepare = (operation: string): OperationResponses =>
    new OperationResponses(this, operation, this.#requests);

  /**
   * Sends the requests of all operations and, if `PROBES` is set, the probes; then answers the open questions. Does nothing if the run
   * judges recorded traffic.
   */
  async requestBehaviour(): Promise<void> {
    await this.run?.requestBehaviour();
  }

  /**
   * Judges the stored observations of one operation, or of the whole run if no operation is given. Keeps the results of an operation for
   * further calls, so the first call must come after the last response of the operation.
   */
  async evaluate(operation?: Operation): Promise<Results> {
    const contract = this.contract as Contract;
    const key = operation?.id ?? '';
    const cachedResults = operation && this.#results.get(key);
    if (cachedResults) return cachedResults;
    const secrets = new Secrets(collectSecrets(this.target));
    const stored = await collectResults(contract, this.target, this.#identity, this.store, secrets);
    const results = evaluate(
      operation ? { ...contract, operations: [operation] } : contract,
      this.target,
      stored,
    );
    this.#results.set(key, results);
    return results;
  }

  /** Returns an operation of the contract by its id. @throws an `Error` if there is none */
  operation(id: string): Operation {
    const operation = this.contract?.operations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`the contract has no operation ${id}`);
    return operation;
  }

  async close(): Promise<void> {
    await this.run?.close();
  }
}

/** Yields the single requests of events, because `on` of Node yields the arguments of each event as an array. */
async function* flatten(events: AsyncIterable<SentNow[]>): AsyncGenerator<SentNow> {
  for await (const requests of events) yield* requests;
}

/**
 * Makes this process end with status 1 at an uncaught error, such as one in a callback of `AUTH_MODULE`. Prints class and place of the
 * error. Does not print its message, as Playwright would, because the message may hold a secret.
 */
export function exitAtUncaughtErrors(): void {
  // Node throws ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET if a callback is set twice.
  if (process.hasUncaughtExceptionCaptureCallback()) return;
  process.setUncaughtExceptionCaptureCallback((error) => {
    process.stderr.write(`${describeThrown(error)}, which AUTH_MODULE did not catch\n`);
    process.exit(1);
  });
}
