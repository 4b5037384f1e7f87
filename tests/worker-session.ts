import { EventEmitter, on } from 'node:events';
import type { FullConfig } from '@playwright/test';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { describeThrown } from '../src/client/signing.ts';
import type { Target } from '../src/client/target.ts';
import { findOperation } from '../src/operations/operation-file.ts';
import type { Observation } from '../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../src/redact/secrets.ts';
import { collectResults } from '../src/run/collect-results.ts';
import { type RunIdentity, readCurrentRun } from '../src/run/run-identity.ts';
import { RunSession } from '../src/run/run-session.ts';
import { emptyStoredResult, RunStore, resultNames } from '../src/run/store.ts';
import { readConfiguration, readValidTarget } from '../src/run/target.ts';
import { formatError } from '../src/run/terminal.ts';
import { hasSweep } from '../src/sweep/shards.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { Results } from '../src/verdict/results.ts';

export interface PendingRequest {
  text: string;
  observation: Promise<Observation>;
}

/** Requests and responses of one operation. Tests get an instance from a fixture such as `getCard`. */
export class OperationResponses {
  readonly operation: string;
  readonly session: WorkerSession;
  /** Yields each request when `send()` sends or skips the request. Ends when `send()` ends. */
  readonly requestsBeingSent: AsyncIterable<[PendingRequest]>;
  /** Resolves when `send()` ends. This promise never rejects, even if `send()` throws an error. */
  readonly whenJudged: Promise<void>;
  readonly #requests: EventEmitter;
  #finish = () => {};

  constructor(session: WorkerSession, operation: string, requests: EventEmitter) {
    this.session = session;
    this.operation = operation;
    this.#requests = requests;
    // `on` yields the arguments of each event as an array.
    this.requestsBeingSent = on(requests, 'request', { close: ['end'] }) as AsyncIterable<[PendingRequest]>;
    this.whenJudged = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /**
   * Sends the requests of the operation, and of its sweep, and judges the responses.
   * If another worker of the run has begun to request the operation, waits for that worker instead.
   * Sends nothing if the check of the target has failed, or if the session has no `run`.
   */
  async send(): Promise<void> {
    try {
      await this.session.run?.requestOperation(this.operation);
    } finally {
      // Ends `requestsBeingSent`, and then resolves `whenJudged`.
      this.#requests.emit('end');
      this.#finish();
    }
  }
}

/** Settings, contract and stored results of a run. All tests of a worker process share one session. */
export class WorkerSession {
  readonly target: Target;
  readonly store: RunStore;
  /** Undefined if the session has a `problem`. */
  readonly contract: Contract | undefined;
  /** Message about a mistake in the configuration or the contract. With a `problem`, the worker sends no requests. */
  readonly problem: string | undefined;
  /** Sender of requests. The property is undefined if the session has a `problem`, or if the run judges recordings. */
  readonly run: RunSession | undefined;
  readonly #identity: RunIdentity;
  readonly #requests = new EventEmitter();
  readonly #resultsById = new Map<string, Results>();

  private constructor(
    identity: RunIdentity,
    store: RunStore,
    target: Target,
    { contract, problem }: { contract?: Contract; problem?: string },
  ) {
    this.#identity = identity;
    this.store = store;
    this.target = target;
    this.contract = contract;
    this.problem = problem;
    const judgesRecordings = target.traffic !== undefined;
    if (contract && !judgesRecordings)
      this.run = new RunSession({ target, contract, identity, store, onSend: this.#emitRequest });
  }

  /**
   * Opens the session of a worker. If the configuration or the contract has a mistake, the session has a `problem`.
   * @throws an `Error` if no run was begun in Playwright's main process
   */
  static async open({ shard, workers }: Pick<FullConfig, 'shard' | 'workers'>): Promise<WorkerSession> {
    const identity = readCurrentRun();
    if (!identity)
      throw new Error('the run has no name: run the tests with the playwright.config.ts of this project');
    const { target: configuredTarget } = readConfiguration();
    const store = new RunStore(configuredTarget.reportsDir, identity.id);
    try {
      const shardTarget = readValidTarget(shard ?? undefined);
      // All workers of all shards together send `MAX_RPS` requests a second: `shardTarget` has the rate of this shard.
      const target = { ...shardTarget, maxRps: shardTarget.maxRps / workers };
      return new WorkerSession(identity, store, target, { contract: loadContract(target.extraLedger) });
    } catch (error) {
      const problem = formatError(error, configuredTarget);
      // The reporter reads the stored result, and shows the problem in the reports.
      await store.createOnce(resultNames.session, async () => ({ ...emptyStoredResult, problem }));
      return new WorkerSession(identity, store, configuredTarget, { problem });
    }
  }

  /**
   * Sends the requests of each configured sweep, but only the share of this shard.
   * If another worker of the shard has begun with a sweep, waits for that worker instead. Does nothing in a run without `--shard`.
   */
  async sweepOwnShare(): Promise<void> {
    const { shard } = this.target;
    // Without shards, `OperationResponses.send` sends the requests of the sweep.
    if (!shard || !hasSweep(this.target)) return;
    for (const { id } of this.contract?.operations ?? []) await this.run?.sweep(id);
  }

  readonly #emitRequest = (text: string, observation: Promise<Observation>): boolean =>
    this.#requests.emit('request', { text, observation } satisfies PendingRequest);

  createResponses = (operation: string): OperationResponses =>
    new OperationResponses(this, operation, this.#requests);

  /**
   * Judges the stored responses of the run.
   * @param operationId operation to judge, by default all operations. Pass an id only after all responses of the operation are
   *   stored. The first results of an operation are cached, and ignore responses that are stored later.
   */
  async evaluate(operationId?: string): Promise<Results> {
    const contract = this.contract as Contract;
    if (operationId === undefined) return this.#judgeStoredResults(contract);
    const cachedResults = this.#resultsById.get(operationId);
    if (cachedResults) return cachedResults;
    const operations = [findOperation(contract, operationId)];
    const results = await this.#judgeStoredResults({ ...contract, operations });
    this.#resultsById.set(operationId, results);
    return results;
  }

  async #judgeStoredResults(judgedContract: Contract): Promise<Results> {
    // Collects the results of all operations, although only some are judged.
    const wholeContract = this.contract as Contract;
    const secrets = new Secrets(collectSecrets(this.target));
    const runResults = await collectResults(wholeContract, this.target, this.#identity, this.store, secrets);
    return evaluate(judgedContract, this.target, runResults);
  }
}

/** Makes an uncaught error end this process with status 1. The message of the error is not printed. */
export function exitAtUncaughtErrors(): void {
  // Node throws ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET if a callback is set twice.
  if (process.hasUncaughtExceptionCaptureCallback()) return;
  process.setUncaughtExceptionCaptureCallback((error) => {
    // The error message may hold a secret.
    process.stderr.write(`${describeThrown(error)} was thrown and not caught\n`);
    process.exit(1);
  });
}
