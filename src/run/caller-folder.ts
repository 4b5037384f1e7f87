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

/** Checks that npm was called in a folder outside of this project, as in the GitHub action. */
export const isCalledFromOutside = (env: Environment = process.env): boolean =>
  callerFolder(env) !== process.cwd();

/** Resolves a path against `callerFolder`. Returns the path unchanged if that is `process.cwd()`. */
export const resolveCallerPath = (file: string, env: Environment = process.env): string =>
  isCalledFromOutside(env) ? path.resolve(callerFolder(env), file) : file;

/** Describes the folder against which relative paths are resolved. Does not name the folder, whose path may name a person. */
export function describeCallerFolder(env: Environment): string {
  if (env.SUITE_REPOSITORY) return 'the workspace of the job';
  return isCalledFromOutside(env) ? 'the folder in which npm was called' : 'the folder of the suite';
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
    .replace(/\bnpm run (?=([a-z]+))/g, (_, command) => {
      const variables = command === 'accept' ? suite.acceptVariables : '';
      return `${variables}npm --prefix ${suite.folder} run `;
    });
}

/** Rewrites each text of a value, such as a run, by `forReader`. Returns a copy. */
export const rewriteTexts = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? forReader(part) : part));

/**
 * Adds the command that gets the suite to a report in Markdown, if the report names a command of the suite and the reader sees only
 * GitHub. The command accepts a tag and a hash.
 */
export function addCloneHint(markdown: string, env: Environment = process.env): string {
  const { SUITE_REPOSITORY: repository } = env;
  if (!repository || !markdown.includes('npm --prefix suite ')) return markdown;
  const { server, version } = readSuiteAddress(env);
  const clone = `git clone ${server}/${repository} suite && git -C suite checkout ${version} && npm --prefix suite ci --omit=dev`;
  const artifact = 'unpack the artifact of the run into the folder `out`';
  return `${markdown}\nThe commands run in a checkout of your repository: first \`${clone}\`, and ${artifact}.\n`;
}

/** Reads the server that has the suite, and the tag or hash of the suite, as the GitHub action sets them. */
const readSuiteAddress = ({ GITHUB_SERVER_URL: server, SUITE_REF: version }: Environment) => ({
  server: server || 'https://github.com',
  version: version || 'HEAD',
});

/** Place of the suite for a reader in another folder. */
interface SuitePlace {
  /** Prefix of `docs/…`: an address on GitHub, or a folder. */
  documents: string;
  /** Folder for `npm --prefix`. */
  folder: string;
  /** Variables before `npm run accept`, each followed by a space; empty if the reader has set the variables of the run. */
  acceptVariables: string;
}

/** Finds the suite; undefined if the reader is in its folder, where documents and commands need no prefix. */
function findSuite(env: Environment): SuitePlace | undefined {
  if (env.SUITE_REPOSITORY) {
    const { server, version } = readSuiteAddress(env);
    return {
      documents: `${server}/${env.SUITE_REPOSITORY}/blob/${version}`,
      folder: 'suite',
      acceptVariables: `${env.LEDGER_FILE ? `LEDGER_FILE=${quoteWord(env.LEDGER_FILE)} ` : ''}REPORTS_DIR=out `,
    };
  }
  const folder = callerFolder(env);
  if (!isCalledFromOutside(env)) return undefined;
  const place = path.relative(folder, process.cwd());
  return { documents: place, folder: quoteWord(place), acceptVariables: '' };
}

/** Quotes a path with a space for a shell. */
const quoteWord = (word: string): string => (word.includes(' ') ? `'${word}'` : word);

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
