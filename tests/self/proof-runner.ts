import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BatchProof } from './proof-faults.ts';
import type { Order, VariantBatchProof } from './proof-worker.ts';

interface ProofMessage {
  proof?: unknown;
  failure?: string;
}

interface ProofWorker {
  child: ChildProcess;
  answers: AsyncIterator<[ProofMessage]>;
}

let worker: ProofWorker | undefined;

/**
 * A proof worker judges providers of the catalogue in a process of its own, one to a worker of Playwright: within a
 * test Playwright would record each request as a step, which takes longer than the request.
 */
function startWorker(): ProofWorker {
  const file = fileURLToPath(new URL('proof-worker.ts', import.meta.url));
  const child = fork(file, { execArgv: ['--import', 'tsx'] });
  return { child, answers: on(child, 'message', { close: ['exit'] }) as AsyncIterator<[ProofMessage]> };
}

async function prove<T>(order: Order): Promise<T> {
  worker ??= startWorker();
  worker.child.send(order);
  const { value, done } = await worker.answers.next();
  const { proof, failure = `the proof worker ended with ${worker.child.exitCode}` } = done ? {} : value[0];
  if (proof === undefined) throw new Error(failure);
  return proof as T;
}

/** What both profiles make of a batch of faults, by its place among all. @throws when the worker does. */
export const proveBatch = (batch: number) => prove<BatchProof>({ batch });
/** What both profiles make of variants put together, by their place. @throws when the worker does. */
export const proveVariantBatch = (variantBatch: number) => prove<VariantBatchProof>({ variantBatch });
