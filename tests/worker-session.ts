import { EventEmitter, on } from 'node:events';
import type { FullConfig } from '@playwright/test';
import { type Contract, loadContract, type Operation } from '../schemas/contract/contract.ts';
import { describeThrown } from '../src/client/signing.ts';
import type { Target } from '../src/client/target.ts';
import type { Observation } from '../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../src/redact/secrets.ts';
import { readValidTarget } from '../src/run/begin-run.ts';
import { collectResults } from '../src/run/collect-results.ts';
import { type RunIdentity, readCurrentRun } from '../src/run/run-identity.ts';
import { RunSession, resultNames } from '../src/run/run-session.ts';
import { emptyStoredResult, RunStore } from '../src/run/store.ts';
import { readConfiguration } from '../src/run/target.ts';
import { formatError } from '../src/run/terminal.ts';
import { hasSweep } from '../src/sweep/shards.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { Results } from '../src/verdict/results.ts';

export interface PendingRequest {
  text: string;
  observation: Promise<Observation>;
}

/** Requests and judged responses of one operation, for `expect(getCard).toMeet('getCard/http/status')`. */
export class OperationResponses {
  readonly operation: string;
  readonly session: WorkerSession;
  /** Yields each request when it is sent. Yields nothing for requests that an earlier test or worker has sent. */
  readonly requestsBeingSent: AsyncIterable<PendingRequest>;
  /** Resolves when `send()` has judged all responses, or has thrown. */
  readonly whenJudged: Promise<void>;
  readonly #requests: EventEmitter;
  #finish = () => {};

  constructor(session: WorkerSession, operation: string, requests: EventEmitter) {
    this.session = session;
    this.operation = operation;
    this.#requests = requests;
    this.requestsBeingSent = yieldRequests(on(requests, 'request', { close: ['end'] }));
    this.whenJudged = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Sends the requests. Does nothing if they were sent before in this run, or if the run judges recordings. */
  async send(): Promise<void> {
    try {
      await this.session.run?.requestOperation(this.operation);
    } finally {
      this.#requests.emit('end');
      this.#finish();
    }
  }
}

/** Settings, contract and stored results of a run, in one worker process. `run` sends the requests. */
export class WorkerSession {
  readonly target: Target;
  readonly store: RunStore;
  /** Undefined if there is a `problem`. */
  readonly contract: Contract | undefined;
  /** Sentence about a mistake in configuration or contract. The worker then sends nothing. */
  readonly problem: string | undefined;
  /** Undefined if there is a `problem`, or if the run judges recordings. */
  readonly run: RunSession | undefined;
  readonly #identity: RunIdentity;
  readonly #requests = new EventEmitter();
  readonly #resultsById = new Map<string, Results>();

  private constructor(
    identity: RunIdentity,
    target: Target,
    opened: { contract?: Contract; run?: RunSession | undefined; problem?: string },
  ) {
    this.#identity = identity;
    this.target = target;
    this.contract = opened.contract;
    this.run = opened.run;
    this.problem = opened.problem;
    this.store = new RunStore(target.reportsDir, identity.id);
    this.run?.onSend((text, observation) => this.#requests.emit('request', { text, observation }));
  }

  /** Opens the session of one worker. If configuration or contract have a mistake, the session has a `problem`. */
  static async open({ shard, workers }: Pick<FullConfig, 'shard' | 'workers'>): Promise<WorkerSession> {
    const identity = readCurrentRun();
    if (!identity)
      throw new Error('the run has no name: run the tests with the playwright.config.ts of this project');
    const { target: configuredTarget } = readConfiguration();
    const store = new RunStore(configuredTarget.reportsDir, identity.id);
    try {
      const shardTarget = readValidTarget(shard ?? undefined);
      // All workers together send `MAX_RPS` requests a second.
      const target = { ...shardTarget, maxRps: shardTarget.maxRps / workers };
      const contract = loadContract(target.extraLedger);
      const judgesRecordings = target.traffic !== undefined;
      const run = judgesRecordings ? undefined : new RunSession({ target, contract, identity, store });
      return new WorkerSession(identity, target, { contract, run });
    } catch (error) {
      const problem = formatError(error, configuredTarget);
      // The reporter reads the stored result, and shows the problem in the reports.
      await store.createOnce(resultNames.session, async () => ({ ...emptyStoredResult, problem }));
      return new WorkerSession(identity, configuredTarget, { problem });
    }
  }

  /** Sends the requests of this shard for a sweep (`SWEEP`). Does nothing in a run without shards. */
  async sweepOwnShare(): Promise<void> {
    const { shard } = this.target;
    // Without shards, `OperationResponses.send` sends the requests of the sweep.
    if (!shard || !hasSweep(this.target)) return;
    for (const { id } of this.contract?.operations ?? []) await this.run?.sweep(id);
  }

  createResponses = (operation: string): OperationResponses =>
    new OperationResponses(this, operation, this.#requests);

  async sendAllRequests(): Promise<void> {
    await this.run?.sendAllRequests();
  }

  /**
   * Judges the responses of one operation; by default, of all operations. Call this method for an operation only after its last
   * response, because the judgement is kept for later calls.
   */
  async evaluate(operation?: Operation): Promise<Results> {
    const contract = this.contract as Contract;
    if (!operation) return this.#evaluateContract(contract);
    const cachedResults = this.#resultsById.get(operation.id);
    if (cachedResults) return cachedResults;
    const results = await this.#evaluateContract({ ...contract, operations: [operation] });
    this.#resultsById.set(operation.id, results);
    return results;
  }

  /** Judges the stored results of the run by a contract, which may have fewer operations than `this.contract`. */
  async #evaluateContract(judgedContract: Contract): Promise<Results> {
    const contract = this.contract as Contract;
    const secrets = new Secrets(collectSecrets(this.target));
    const runResults = await collectResults(contract, this.target, this.#identity, this.store, secrets);
    return evaluate(judgedContract, this.target, runResults);
  }

  findOperation(id: string): Operation {
    const operation = this.contract?.operations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`the contract has no operation ${id}`);
    return operation;
  }

  async close(): Promise<void> {
    await this.run?.close();
  }
}

/** Yields the request of each event. The function `on` of `node:events` yields an array, the arguments of the event. */
async function* yieldRequests(events: AsyncIterable<PendingRequest[]>): AsyncGenerator<PendingRequest> {
  for await (const eventArguments of events) yield* eventArguments;
}

/**
 * Ends this process with status 1 at an uncaught error, such as one in a callback of `AUTH_MODULE`. Prints class and line of
 * the error, but not the message, which may hold a secret.
 */
export function exitAtUncaughtErrors(): void {
  // Node throws ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET if a callback is set twice.
  if (process.hasUncaughtExceptionCaptureCallback()) return;
  process.setUncaughtExceptionCaptureCallback((error) => {
    process.stderr.write(`${describeThrown(error)} was thrown and not caught\n`);
    process.exit(1);
  });
}
