import { realpathSync } from 'node:fs';
import path from 'node:path';
import { standardInput } from '../traffic/shown-source.ts';
import type { Environment } from './variable-table.ts';

/**
 * Returns the caller's folder, which holds `.env` and against which relative paths are resolved. It is the folder in which npm was
 * called if that lies outside of this project (`npm --prefix ../lookup-api-conformance run conformance`), else `process.cwd()`.
 */
function callerFolder(env: Environment = process.env): string {
  const processFolder = process.cwd();
  const { INIT_CWD: callFolder, npm_package_json: manifest } = env;
  if (!callFolder || !manifest) return processFolder;
  // False if a script of another project has started this process: npm has then set both variables for that project.
  const isOfThisProject = isSameFolder(path.dirname(manifest), processFolder);
  return isOfThisProject && !isWithin(callFolder, processFolder) ? callFolder : processFolder;
}

/** Returns whether npm was called in a folder outside of this project, as in the GitHub action. */
export const isCalledFromOutside = (env: Environment = process.env): boolean =>
  callerFolder(env) !== process.cwd();

/** Resolves a path against the caller's folder. Returns the path unchanged if that folder is `process.cwd()`. */
export const resolveCallerPath = (file: string, env: Environment = process.env): string =>
  isCalledFromOutside(env) ? path.resolve(callerFolder(env), file) : file;

/**
 * Describes the caller's folder in words, such as "the folder in which npm was called". Does not show its path, which may name a
 * person.
 */
export function describeCallerFolder(env: Environment): string {
  if (env.SUITE_REPOSITORY) return 'the workspace of the job';
  return isCalledFromOutside(env) ? 'the folder in which npm was called' : 'the folder of the suite';
}

/** Resolves a value of `TRAFFIC`, a path or pattern, against the caller's folder. `-` (standard input) stays unchanged. */
export const resolveCallerSource = (source: string): string =>
  source === standardInput ? source : resolveCallerPath(source);

/**
 * Formats a path for messages: relative to the caller's folder, or `.` for that folder. An absolute path outside of it stays
 * absolute.
 */
export function formatCallerPath(file: string): string {
  const relative = path.relative(callerFolder(), file) || '.';
  return relative.startsWith('..') && path.isAbsolute(file) ? file : relative;
}

/**
 * Rewrites `docs/….md` and `npm run …` in a message so that they work in the reader's folder. Commands get `--prefix`. In the
 * GitHub action (`SUITE_REPOSITORY` is set), documents become links to GitHub; for a caller in another folder, they get the path of
 * the suite. Returns the text unchanged if the caller is in the folder of the suite.
 */
export function rewriteForReader(text: string, env: Environment = process.env): string {
  const suite = findSuite(env);
  if (!suite) return text;
  return (
    text
      // Not within a longer path, which may be a link already.
      .replace(/(?<![\w/.-])docs\/[\w-]+\.md/g, (file) => `${suite.documents}/${file}`)
      // The lookahead captures the command, such as `accept`, without replacing it.
      .replace(/\bnpm run (?=([a-z]+))/g, (_, command) => {
        const variables = command === 'accept' ? suite.acceptVariables : '';
        return `${variables}npm --prefix ${suite.folder} run `;
      })
  );
}

/** Returns a copy of a value, such as the results of a run, in which `rewriteForReader` has rewritten each text at any depth. */
export const rewriteTexts = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? rewriteForReader(part) : part));

/**
 * Adds to a report in Markdown the command that clones the suite (`git clone …`), if the report names a command of the suite and
 * was made in the GitHub action. Returns any other report unchanged.
 */
export function addCloneHint(markdown: string, env: Environment = process.env): string {
  const { SUITE_REPOSITORY: repository } = env;
  if (!repository || !markdown.includes('npm --prefix suite ')) return markdown;
  const { server, version } = readSuiteAddress(env);
  const clone = `git clone ${server}/${repository} suite && git -C suite checkout ${version} && npm --prefix suite ci --omit=dev`;
  const artifact = 'unpack the artifact of the run into the folder `out`';
  return `${markdown}\nThe commands run in a checkout of your repository: first \`${clone}\`, and ${artifact}.\n`;
}

/** Reads the GitHub server of the suite, and its tag or commit, as the GitHub action sets them; `HEAD` without `SUITE_REF`. */
const readSuiteAddress = ({ GITHUB_SERVER_URL: server, SUITE_REF: version }: Environment) => ({
  server: server || 'https://github.com',
  version: version || 'HEAD',
});

/** Place of this suite for a reader who is in another folder, or sees only GitHub. */
interface SuitePlace {
  /** Text to put before `docs/…` in a message: an address on GitHub, or the path of the suite. */
  documents: string;
  /** Path of the suite for `npm --prefix`, quoted for a shell. */
  folder: string;
  /**
   * Variables to put before `npm run accept`, such as `REPORTS_DIR=out `, each followed by a space; empty outside of the GitHub
   * action.
   */
  acceptVariables: string;
}

/**
 * Finds the place of this suite for its caller. Undefined if the caller is in the folder of the suite, where no prefix is needed.
 */
function findSuite(env: Environment): SuitePlace | undefined {
  if (env.SUITE_REPOSITORY) {
    const { server, version } = readSuiteAddress(env);
    const ledgerVariable = env.LEDGER_FILE ? `LEDGER_FILE=${quoteWord(env.LEDGER_FILE)} ` : '';
    return {
      documents: `${server}/${env.SUITE_REPOSITORY}/blob/${version}`,
      folder: 'suite',
      acceptVariables: `${ledgerVariable}REPORTS_DIR=out `,
    };
  }
  if (!isCalledFromOutside(env)) return undefined;
  const suitePath = path.relative(callerFolder(env), process.cwd());
  return { documents: suitePath, folder: quoteWord(suitePath), acceptVariables: '' };
}

/** Quotes a path for a shell if it has a space. */
const quoteWord = (word: string): string => (word.includes(' ') ? `'${word}'` : word);

/** Returns whether two paths name the same folder, after symbolic links are resolved. */
const isSameFolder = (first: string, second: string) => resolveLinks(first) === resolveLinks(second);
/** Returns whether a folder equals `parent` or lies below. The slashes keep `/suite-old` from counting as a part of `/suite`. */
const isWithin = (folder: string, parent: string) =>
  `${resolveLinks(folder)}/`.startsWith(`${resolveLinks(parent)}/`);

/**
 * Resolves symbolic links in the path of a folder, because npm resolves them in some of its variables and not in others. Returns
 * the path unchanged if the folder does not exist.
 */
function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
