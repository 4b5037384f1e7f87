import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file for each of the texts of `spec/` that were read last, in a copy of the suite too. `npm ci` removes them. */
const folder = new URL('../../node_modules/.cache/lookup-api-conformance/', import.meta.url);

/** Enough for a working tree and what it is compared with. */
const maxFiles = 4;

let current: Map<string, unknown> | undefined;

/** What `find` makes of a text, or what it made of it in an earlier process. What it throws is not kept. */
export function cached<T>(question: string, text: string, find: () => T): T {
  const key = `${question} ${hashOf(text)}`;
  if (current?.has(key)) return current.get(key) as T;
  const found = find();
  current?.set(key, found);
  return found;
}

/**
 * Builds something of texts with the cache: reading YAML and checking schemas take five times as long as all else that
 * is read of `spec/`, in each process of a run.
 */
export function withCache<T>(texts: string, build: () => T): T {
  const file = new URL(`${hashOf(versions() + texts)}.json`, folder);
  const known = readCache(file);
  const found = new Map(known);
  const built = withFound(found, build);
  if (!known) writeCache(file, found);
  return built;
}

/** Builds something of texts with what was found of them before, and adds to it what is found now. */
export function withFound<T>(found: Map<string, unknown>, build: () => T): T {
  current = found;
  try {
    return build();
  } finally {
    current = undefined;
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** All that decides what is found in a text: programs that read it, and our own files that do. */
function versions(): string {
  const require = createRequire(import.meta.url);
  const packages = ['ajv', 'ajv-formats', 'yaml'].map((name) => require(`${name}/package.json`).version);
  const own = ['yaml', 'shape', 'schema-check', 'validators', 'classification'].map((name) =>
    readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8'),
  );
  return [process.version, ...packages, ...own].join('\n');
}

function readCache(file: URL): [string, unknown][] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function writeCache(file: URL, found: Map<string, unknown>): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const old of newestFirst().slice(maxFiles - 1)) rmSync(old, { force: true });
    writeFileSync(file, JSON.stringify([...found]));
  } catch {
    // Where nothing may be written, the texts are read each time.
  }
}

function newestFirst(): URL[] {
  const files = readdirSync(folder).map((name) => new URL(name, folder));
  const writtenMs = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  return files.sort((one, other) => (writtenMs.get(other) ?? 0) - (writtenMs.get(one) ?? 0));
}
