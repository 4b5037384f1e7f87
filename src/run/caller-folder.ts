import { realpathSync } from 'node:fs';
import path from 'node:path';
import { standardInput } from '../traffic/shown-source.ts';
import type { Environment } from './variable-table.ts';

/**
 * The folder in which relative paths and `.env` are looked for: the one in which npm was called, if that lies outside
 * of this project (`npm --prefix ../lookup-api-conformance run conformance`), or else the one of the process.
 */
function callerFolder(env: Environment = process.env): string {
  const own = process.cwd();
  const { INIT_CWD: calledIn, npm_package_json: manifest } = env;
  // A script of another project may have started this process; its folder says nothing.
  if (!calledIn || !manifest || !isSame(path.dirname(manifest), own)) return own;
  return isWithin(calledIn, own) ? own : calledIn;
}

/** A path as the process finds it; one of the process's own folder stays as it was given. */
export function fromCaller(file: string, env: Environment = process.env): string {
  const folder = callerFolder(env);
  return folder === process.cwd() ? file : path.resolve(folder, file);
}

/** A source that the caller names, as the process finds it; standard input stays. */
export const sourceFromCaller = (source: string): string =>
  source === standardInput ? source : fromCaller(source);

/** A path as the caller would write it: below the folder of the caller, or as it is. */
export function shownToCaller(file: string): string {
  const relative = path.relative(callerFolder(), file) || '.';
  return relative.startsWith('..') && path.isAbsolute(file) ? file : relative;
}

/**
 * Rewrites the names of documents and commands of the suite so that they work for the reader: as links to the suite at its version if
 * an action runs the suite (`SUITE_REPOSITORY`, `SUITE_REF`), with its folder if another folder called it.
 */
export function forReader(text: string, env: Environment = process.env): string {
  const suite = placeOfSuite(env);
  if (!suite) return text;
  return text
    .replace(/(?<![\w/.-])docs\/[\w-]+\.md/g, (file) => `${suite.documents}/${file}`)
    .replace(/\bnpm run (?=[a-z])/g, `npm --prefix ${suite.folder} run `);
}

/** Address or folder of the documents, and folder of the commands; undefined if the reader is in the folder of the suite. */
function placeOfSuite(env: Environment): { documents: string; folder: string } | undefined {
  const { SUITE_REPOSITORY: repository, SUITE_REF: version = 'HEAD', GITHUB_SERVER_URL: server } = env;
  if (repository)
    return { documents: `${server ?? 'https://github.com'}/${repository}/blob/${version}`, folder: 'suite' };
  const folder = callerFolder(env);
  if (folder === process.cwd()) return undefined;
  const place = path.relative(folder, process.cwd());
  return { documents: place, folder: place.includes(' ') ? JSON.stringify(place) : place };
}

const isSame = (folder: string, other: string) => real(folder) === real(other);
const isWithin = (folder: string, parent: string) => `${real(folder)}/`.startsWith(`${real(parent)}/`);

/** Without symbolic links, which npm resolves or not. */
function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
