// @ts-check
// Runs an AUTH_MODULE in a process of its own: what it throws, prints of itself or ends, it does to this process alone.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** @typedef {import('./module-process.ts').Failure} Failure */
/** @typedef {import('./signing.ts').SignedRequest} SignedRequest */

const file = process.argv[2] ?? '';
const own = ['./signing-process.mjs', './typescript-hooks.mjs', './syntax-hooks.mjs'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);
const report = (/** @type {object} */ message) => void process.send?.(message);

register('./typescript-hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
process.on('uncaughtException', (error) => report({ stray: describeFailure(error) }));
// The run decides what an interruption means; with its end this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.on('disconnect', () => process.exit());

/** @type {(request: SignedRequest) => unknown} */
let sign;
// Also keeps this process alive until the run has read what is reported.
process.on('message', (message) => void answer(/** @type {any} */ (message)));

try {
  sign = signOf(await import(pathToFileURL(file).href));
  report({ id: 0, loaded: typeof sign === 'function' });
} catch (error) {
  report({ id: 0, failed: describeFailure(await located(error)) });
}

/**
 * A syntax error with its line. Nothing has run of a module that has one, so it can be loaded again.
 * @param {unknown} error
 */
async function located(error) {
  if (!(error instanceof SyntaxError) || describeFailure(error).place) return error;
  register('./syntax-hooks.mjs', import.meta.url);
  return import(pathToFileURL(file).href).then(
    () => error,
    (found) => found,
  );
}

/**
 * The default export; that of a CommonJS module compiled from TypeScript is one level deeper.
 * @param {{ default?: any }} module
 */
function signOf({ default: exported }) {
  return typeof exported === 'function' ? exported : exported?.default;
}

/** @param {{ id: number, request: SignedRequest }} message */
async function answer({ id, request }) {
  try {
    report({ id, headers: entriesOf(await sign(request)) });
  } catch (error) {
    report({ id, failed: describeFailure(error) });
  }
}

/**
 * Names and values of headers, as far as another process can receive them: of an object, a Map, or Headers of any kind.
 * @param {unknown} headers
 */
function entriesOf(headers) {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return undefined;
  const entries = Symbol.iterator in headers ? [.../** @type {any} */ (headers)] : ownEntries(headers);
  if (!entries?.every((entry) => Array.isArray(entry) && entry.length === 2)) return undefined;
  return entries.map(([name, value]) =>
    [name, typeof value === 'number' ? String(value) : value].map(textOf),
  );
}

/**
 * Those of an object; none of one whose class hides what it holds.
 * @param {object} headers
 */
function ownEntries(headers) {
  const entries = Object.entries(headers);
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(headers));
  return entries.length > 0 || isPlain ? entries : undefined;
}

const textOf = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : undefined);

/**
 * Class, code and place of an error: all that can be said of it without repeating a secret.
 * @param {unknown} error
 * @returns {Failure}
 */
function describeFailure(error) {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  const { code, stack, message } = /** @type {any} */ (error instanceof Error ? error : {});
  const place = placeIn(`${stack}`.replace(`${message}`, '')) ?? placeIn(`${message}`);
  return {
    name: /^[A-Za-z]{1,40}$/.test(name) ? name : 'an error',
    ...(/^(ERR_[A-Z_]{1,40}|E[A-Z]{3,14}|MODULE_NOT_FOUND)$/.test(code) ? { code } : {}),
    ...(place ? { place } : {}),
  };
}

/**
 * The first line of a file that is there; only that is known not to be text of the module.
 * @param {string} text
 */
function placeIn(text) {
  for (const [, found = '', line] of text.matchAll(/(file:\/\/\/[^\s()]+?|\/[^\n:()]+?):(\d+)/g)) {
    const path = found.startsWith('file:') ? fileURLToPath(found.replace(/[?#].*$/, '')) : found;
    const foreign = own.includes(path) || path.includes('/node_modules/') || !existsSync(path);
    if (!foreign) return path === file ? `line ${line}` : `${path}:${line}`;
  }
  return undefined;
}
