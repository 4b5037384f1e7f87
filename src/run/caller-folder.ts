import { realpathSync } from 'node:fs';
import path from 'node:path';
import { standardInput } from '../traffic/shown-source.ts';
import type { Environment } from './variable-table.ts';

/**
 * Returns the folder of relative paths and of `.env`: the folder in which npm was called, if that folder lies outside of this
 * project (`npm --prefix ../lookup-api-conformance run conformance`), else the folder of the process.
 */
function callerFolder(env: Environment = process.env): string {
  const processFolder = process.cwd();
  const { INIT_CWD: callFolder, npm_package_json: manifest } = env;
  // npm sets INIT_CWD for the script of another project too, which may have started this process.
  if (!callFolder || !manifest || !isSameFolder(path.dirname(manifest), processFolder)) return processFolder;
  return isWithin(callFolder, processFolder) ? processFolder : callFolder;
}

/** Resolves a path against the folder of the caller; unchanged if the caller is in the folder of the process. */
export function resolveCallerPath(file: string, env: Environment = process.env): string {
  const folder = callerFolder(env);
  return folder === process.cwd() ? file : path.resolve(folder, file);
}

/** Resolves the path of a source as `resolveCallerPath` does; `-` for standard input stays. */
export const resolveCallerSource = (source: string): string =>
  source === standardInput ? source : resolveCallerPath(source);

/** Returns a path relative to the folder of the caller; an absolute path outside of that folder stays. */
export function formatCallerPath(file: string): string {
  const relative = path.relative(callerFolder(), file) || '.';
  return relative.startsWith('..') && path.isAbsolute(file) ? file : relative;
}

/**
 * Rewrites the names of documents and commands of the suite so that they work for the reader: as links to the suite at its version if
 * an action runs the suite (`SUITE_REPOSITORY`, `SUITE_REF`), with its folder if another folder called it.
 */
export function forReader(text: string, env: Environment = process.env): string {
  const suite = findSuite(env);
  if (!suite) return text;
  return text
    .replace(/(?<![\w/.-])docs\/[\w-]+\.md/g, (file) => `${suite.documents}/${file}`)
    .replace(/\bnpm run (?=[a-z])/g, `npm --prefix ${suite.folder} run `);
}

/** Finds the documents (an address or a folder) and the folder of the commands; undefined if the reader is in that folder. */
function findSuite(env: Environment): { documents: string; folder: string } | undefined {
  const { SUITE_REPOSITORY: repository, SUITE_REF: version = 'HEAD', GITHUB_SERVER_URL: server } = env;
  if (repository)
    return { documents: `${server ?? 'https://github.com'}/${repository}/blob/${version}`, folder: 'suite' };
  const folder = callerFolder(env);
  if (folder === process.cwd()) return undefined;
  const place = path.relative(folder, process.cwd());
  return { documents: place, folder: place.includes(' ') ? JSON.stringify(place) : place };
}

const isSameFolder = (first: string, second: string) => resolveLinks(first) === resolveLinks(second);
const isWithin = (folder: string, parent: string) =>
  `${resolveLinks(folder)}/`.startsWith(`${resolveLinks(parent)}/`);

/** Resolves symbolic links, because npm resolves them only in some variables. Returns the path of a missing folder as it is. */
function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
