import { on } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { RegularFreeing } from '../../schemas/free-memory.ts';
import { noteText } from '../../schemas/json/read.ts';
import type { EntryBatch } from './entry-batch.ts';
import { bytesBetweenCollections, type TrafficOptions } from './read-traffic.ts';
import type { ReaderData } from './reader-thread.ts';
import type { RecordedEntry } from './recorded-entry.ts';
import { standardInput } from './source-name.ts';
import { expandSources, sizeOf } from './sources.ts';

/** Bytes of sources from which on a thread gains more than its start costs. */
const usualThreshold = 32 * 2 ** 20;

/** Whether sources are so large that a thread of their own should read them. Standard input belongs to this one. */
export async function isWorthThread(sources: string[], threshold = usualThreshold): Promise<boolean> {
  if (sources.includes(standardInput)) return false;
  const sizes = await Promise.all((await expandSources(sources)).map(sizeOf));
  return sizes.reduce<number>((sum, size = 0) => sum + size, 0) >= threshold;
}

/**
 * Reads files of recorded traffic as `readTraffic` does, in a thread of its own while the caller judges what was read before.
 * @throws when the thread ends before it has read all
 */
export async function* readInThread(
  workerData: ReaderData,
  onProgress: TrafficOptions['onProgress'],
): AsyncGenerator<RecordedEntry> {
  const worker = new Worker(threadCode(), { eval: true, execArgv: [], workerData, resourceLimits });
  const freeing = new RegularFreeing(bytesBetweenCollections);
  try {
    for await (const { entries, texts, bytes, progress } of batchesOf(worker)) {
      if (progress) onProgress?.(...progress);
      freeing.add(bytes);
      for (const [at, entry] of entries.entries()) yield received(entry, texts[at]);
    }
  } finally {
    await worker.terminate();
  }
}

/** What the thread makes lives short: with more room it would take more memory, and be no quicker. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 };

/** A thread loads no TypeScript, and a loader of its own would take longer to start than to read most recordings. */
function threadCode(): string {
  const file = new URL('reader-thread.ts', import.meta.url);
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(file)],
    bundle: true,
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    define: { 'import.meta.url': JSON.stringify(file.href) },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

async function* batchesOf(worker: Worker): AsyncGenerator<EntryBatch> {
  try {
    for await (const [batch] of on(worker, 'message', { close: ['exit'] })) {
      worker.postMessage('taken');
      yield batch;
      if (batch.isLast) return;
    }
  } catch (error) {
    // Its message may hold what was read.
    throw new Error(
      `recorded traffic could not be read: the thread that reads it has failed (${nameOf(error)})`,
    );
  }
  throw new Error('recorded traffic could not be read: the thread that reads it has ended too early');
}

function nameOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return code ?? name;
}

/** An entry as it was read: what is no data is lost between threads. */
function received(entry: RecordedEntry, text: string | undefined): RecordedEntry {
  if (entry.kind !== 'exchange') return entry;
  if (entry.body && text !== undefined) noteText(entry.body, text);
  return { ...entry, headers: Object.assign(Object.create(null), entry.headers) };
}
