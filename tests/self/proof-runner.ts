import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BatchProof } from './proof-faults.ts';
import type { Order, PartyProof } from './proof-worker.ts';

interface ProofMessage {
  proof?: unknown;
  failure?: string;
}

interface Prover {
  child: ChildProcess;
  answers: AsyncIterator<[ProofMessage]>;
}

let prover: Prover | undefined;

/**
 * Provers judge providers of the catalogue in a process of their own, one to a worker: within a test Playwright would
 * record each request as a step, which takes longer than the request.
 */
function startProver(): Prover {
  const file = fileURLToPath(new URL('proof-worker.ts', import.meta.url));
  const child = fork(file, { execArgv: ['--import', 'tsx'] });
  return { child, answers: on(child, 'message', { close: ['exit'] }) as AsyncIterator<[ProofMessage]> };
}

async function prove<T>(order: Order): Promise<T> {
  prover ??= startProver();
  prover.child.send(order);
  const { value, done } = await prover.answers.next();
  const { proof, failure = `the prover ended with ${prover.child.exitCode}` } = done ? {} : value[0];
  if (proof === undefined) throw new Error(failure);
  return proof as T;
}

/** What both profiles make of a batch of faults, by its place among all. @throws when the prover does. */
export const proveBatch = (batch: number) => prove<BatchProof>({ batch });
/** What both profiles make of variants put together, by their place. @throws when the prover does. */
export const proveVariantBatch = (variantBatch: number) => prove<PartyProof>({ variantBatch });
