import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Operation } from '../../schemas/contract/contract.ts';
import { BatchInMaking, type Progress } from './entry-batch.ts';
import { readTraffic } from './read-traffic.ts';
import { routeFinder } from './recorded-route.ts';

/** What the thread reads, and of which operations. */
export interface ReaderData {
  sources: string[];
  operations: Operation[];
  baseUrl: string | undefined;
}

/** Batches that are on their way: no more is in memory, however slow the judge is. */
const maxOpen = 2;

/** Sends what it reads in batches; the thread that has started this one acknowledges each. */
class Sender {
  readonly #port: MessagePort;
  readonly #batch = new BatchInMaking();
  #open = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', () => {
      this.#open -= 1;
    });
  }

  async read({ sources, operations, baseUrl }: ReaderData): Promise<void> {
    const onProgress = (...progress: Progress) => {
      this.#batch.progress = progress;
    };
    const findRoute = routeFinder(operations, baseUrl);
    for await (const entry of readTraffic(sources, { findRoute, onProgress }))
      if (this.#batch.add(entry)) await this.#send(false);
    await this.#send(true);
    this.#port.close();
  }

  async #send(isLast: boolean): Promise<void> {
    while (this.#open >= maxOpen) await once(this.#port, 'message');
    const { batch, handedOver } = this.#batch.take(isLast);
    this.#port.postMessage(batch, handedOver);
    this.#open += 1;
  }
}

if (parentPort) void new Sender(parentPort).read(workerData);
