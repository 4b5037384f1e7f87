import { realpathSync } from 'node:fs';
import path from 'node:path';
import { standardInput } from '../traffic/shown-source.ts';
import type { Environment } from './variable-table.ts';

/**
 * Returns the folder that holds `.env` and against which relative paths are resolved: the folder in which npm was called if it lies
 * outside of this project (`npm --prefix ../lookup-api-conformance run conformance`), else `process.cwd()`.
 */
function callerFolder(env: Environment = process.env): string {
  const processFolder = process.cwd();
  const { INIT_CWD: callFolder, npm_package_json: manifest } = env;
  // A script of another project may have started this process. INIT_CWD is then that project's, and its `package.json` differs.
  if (!callFolder || !manifest || !isSameFolder(path.dirname(manifest), processFolder)) return processFolder;
  return isWithin(callFolder, processFolder) ? processFolder : callFolder;
}

/** Resolves a path against `callerFolder`. Returns the path unchanged if that is `process.cwd()`. */
export function resolveCallerPath(file: string, env: Environment = process.env): string {
  const folder = callerFolder(env);
  return folder === process.cwd() ? file : path.resolve(folder, file);
}

/** Resolves a source of `TRAFFIC`: a path against the folder of the caller; `-` (standard input) stays unchanged. */
export const resolveCallerSource = (source: string): string =>
  source === standardInput ? source : resolveCallerPath(source);

/** Shortens a path for messages: relative to `callerFolder`; an absolute path outside of that folder stays absolute. */
export function formatCallerPath(file: string): string {
  const relative = path.relative(callerFolder(), file) || '.';
  return relative.startsWith('..') && path.isAbsolute(file) ? file : relative;
}

/**
 * Rewrites `docs/….md` and `npm run …` in a text so that they work from where the reader is. In the GitHub action
 * (`SUITE_REPOSITORY` is set) documents become links to GitHub; called from another folder, they get the path of the suite. Commands
 * get `--prefix`. Returns the text unchanged if the reader is in the folder of the suite.
 */
export function forReader(text: string, env: Environment = process.env): string {
  const suite = findSuite(env);
  if (!suite) return text;
  return text
    .replace(/(?<![\w/.-])docs\/[\w-]+\.md/g, (file) => `${suite.documents}/${file}`)
    .replace(/\bnpm run (?=[a-z])/g, `npm --prefix ${suite.folder} run `);
}

/**
 * Finds the prefix of `docs/…` (an address on GitHub, or a folder) and the folder for `npm --prefix`; undefined if the reader is in
 * the folder of the suite, where neither is needed.
 */
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
/** Checks that a folder is another folder or lies below. The slashes keep `/suite-old` from counting as a part of `/suite`. */
const isWithin = (folder: string, parent: string) =>
  `${resolveLinks(folder)}/`.startsWith(`${resolveLinks(parent)}/`);

/**
 * Resolves symbolic links, because npm resolves them in some of its variables and not in others. Returns the path of a missing folder
 * unchanged.
 */
function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
