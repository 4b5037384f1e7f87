import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Files named by what was asked of which text; `npm ci` forgets them. */
const folder = new URL('../node_modules/.cache/lookup-api-conformance/', import.meta.url);

/**
 * What `question` found of a text, kept from one process to the next: reading YAML and checking a document against
 * OpenAPI's schema take longer than asking the mock. What it throws is not kept.
 */
export function cached<T>(question: string, text: string, find: () => T): T {
  const file = fileOf(question, text);
  const known = readCache<T>(file);
  if (known) return known.found;
  const found = find();
  writeCache(file, found);
  return found;
}

/** The same for what takes its time. */
export async function cachedAsync<T>(question: string, text: string, find: () => Promise<T>): Promise<T> {
  const file = fileOf(question, text);
  const known = readCache<T>(file);
  if (known) return known.found;
  const found = await find();
  writeCache(file, found);
  return found;
}

const fileOf = (question: string, text: string) =>
  new URL(`${question}-${createHash('sha256').update(text).digest('hex')}.json`, folder);

function readCache<T>(file: URL): { found: T } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function writeCache(file: URL, found: unknown): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, JSON.stringify({ found }));
  } catch {
    // Where nothing may be written, the text is read each time.
  }
}
