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

/** Request while it is sent: its text without identifiers, and a promise of the judged response. */
export interface SentNow {
  text: string;
  observation: Promise<Observation>;
}

/** Responses of one operation, which `expect(…).toMeet(…)` judges. */
export class OperationResponses {
  readonly operation: string;
  readonly session: WorkerSession;
  /** Requests while they are sent; empty if another test or another worker has sent them before. */
  readonly sending: AsyncIterable<SentNow>;
  /** Fulfilled once the last response is judged. Never rejected. */
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

  /** Sends the requests, once in a run. Sends nothing if the run judges recordings. */
  async send(): Promise<void> {
    try {
      await this.session.run?.requestOperation(this.operation);
    } finally {
      this.#requests.emit('end');
      this.#finish();
    }
  }
}

/** Session of a run in one worker process. */
export class WorkerSession {
  readonly target: Target;
  readonly store: RunStore;
  readonly contract: Contract | undefined;
  /** Reason why nothing can be sent, in one sentence. */
  readonly problem: string | undefined;
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

  /** Opens the session of a worker. Divides `MAX_RPS` among the workers of the run. */
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

  /** Sweeps the pages of this shard; none unless the run is a shard with a sweep. */
  async sweepShare(): Promise<void> {
    const { shard } = this.target;
    if (!shard || !hasSweep(this.target)) return;
    for (const { id } of this.contract?.operations ?? []) await this.run?.sweep(id);
  }

  /** Prepares the requests of an operation, which `OperationResponses.send()` sends. */
  prepare = (operation: string): OperationResponses =>
    new OperationResponses(this, operation, this.#requests);

  /** Sends the probes if `PROBES` is set, and answers the open questions. */
  async requestBehaviour(): Promise<void> {
    await this.run?.requestBehaviour();
  }

  /** Evaluates the stored observations of an operation, or of the whole run if no operation is given. */
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

async function* flatten(events: AsyncIterable<SentNow[]>): AsyncGenerator<SentNow> {
  for await (const requests of events) yield* requests;
}

/**
 * Ends the worker at an uncaught error, which `AUTH_MODULE` may cause in a callback. Prints only the class of the error, because
 * Playwright would print the message, which may hold a secret.
 */
export function hideUncaughtErrors(): void {
  if (process.hasUncaughtExceptionCaptureCallback()) return;
  process.setUncaughtExceptionCaptureCallback((error) => {
    process.stderr.write(`${describeThrown(error)} where nobody could catch it\n`);
    process.exit(1);
  });
}
