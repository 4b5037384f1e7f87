import { realpathSync } from 'node:fs';
import path from 'node:path';
import { standardInput } from '../traffic/shown-source.ts';
import type { Environment } from './variable-table.ts';

/**
 * Returns the folder that holds `.env`, and against which relative paths are resolved: the folder in which npm was called if that
 * lies outside of this project (`npm --prefix ../lookup-api-conformance run conformance`), else `process.cwd()`.
 */
function findCallerFolder(env: Environment = process.env): string {
  const processFolder = process.cwd();
  const { INIT_CWD: callFolder, npm_package_json: manifest } = env;
  if (!callFolder || !manifest) return processFolder;
  // False if a script of another project has started this process: npm has then set both variables for that project.
  const isOfThisProject = isSameFolder(path.dirname(manifest), processFolder);
  return isOfThisProject && !isWithin(callFolder, processFolder) ? callFolder : processFolder;
}

/** Returns whether npm was called in a folder outside of this project, as by the GitHub action. */
export const isCalledFromOutside = (env: Environment = process.env): boolean =>
  findCallerFolder(env) !== process.cwd();

/** Resolves a path against the caller's folder. Returns the path unchanged if that folder is `process.cwd()`. */
export const resolveCallerPath = (file: string, env: Environment = process.env): string =>
  isCalledFromOutside(env) ? path.resolve(findCallerFolder(env), file) : file;

/** Describes the caller's folder without its path, which may name a person: "the folder in which npm was called". */
export function describeCallerFolder(env: Environment): string {
  if (env.SUITE_REPOSITORY) return 'the workspace of the job';
  return isCalledFromOutside(env) ? 'the folder in which npm was called' : 'the folder of the suite';
}

export const resolveCallerSource = (source: string): string =>
  source === standardInput ? source : resolveCallerPath(source);

/** Formats a path relative to the caller's folder. An absolute path outside of that folder stays absolute. */
export function formatCallerPath(file: string): string {
  const relative = path.relative(findCallerFolder(), file) || '.';
  return relative.startsWith('..') && path.isAbsolute(file) ? file : relative;
}

/** Path such as `docs/sweep.md`, but not within a longer path, which may be a link already. */
const documentPath = /(?<![\w/.-])docs\/[\w-]+\.md/g;
const npmCommand = /\bnpm run ([a-z]+)/g;

/**
 * Rewrites `docs/….md` and `npm run …` in a message so that a caller in another folder can use them. Commands get `--prefix`.
 * Documents get the path of the suite or, in the GitHub action, become links to GitHub.
 */
export function rewriteForReader(text: string, env: Environment = process.env): string {
  const suite = findSuite(env);
  if (!suite) return text;
  return text
    .replace(documentPath, (file) => `${suite.docsPrefix}/${file}`)
    .replace(npmCommand, (_, command) => {
      const variables = command === 'accept' ? suite.acceptVariables : '';
      return `${variables}npm --prefix ${suite.quotedFolder} run ${command}`;
    });
}

/** Returns a copy of a value in which `rewriteForReader` has rewritten each string, at any depth. */
export const rewriteTexts = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? rewriteForReader(part) : part));

/**
 * Adds the command `git clone …` of the suite to a Markdown report of the GitHub action, if the report names a command of the
 * suite.
 */
export function addCloneHint(markdown: string, env: Environment = process.env): string {
  const { SUITE_REPOSITORY: repository } = env;
  if (!repository || !markdown.includes('npm --prefix suite ')) return markdown;
  const { server, version } = readSuiteAddress(env);
  const clone = `git clone ${server}/${repository} suite && git -C suite checkout ${version} && npm --prefix suite ci --omit=dev`;
  const artifact = 'unpack the artifact of the run into the folder `out`';
  return `${markdown}\nThe commands run in a checkout of your repository: first \`${clone}\`, and ${artifact}.\n`;
}

const readSuiteAddress = ({ GITHUB_SERVER_URL: server, SUITE_REF: version }: Environment) => ({
  server: server || 'https://github.com',
  version: version || 'HEAD',
});

interface SuitePlace {
  docsPrefix: string;
  quotedFolder: string;
  /** Variables before `npm run accept` in a pipeline, such as `REPORTS_DIR=out `; else empty. */
  acceptVariables: string;
}

/** Returns undefined if the caller is in the folder of the suite, where commands need no prefix. */
function findSuite(env: Environment): SuitePlace | undefined {
  if (env.SUITE_REPOSITORY) {
    const { server, version } = readSuiteAddress(env);
    return {
      docsPrefix: `${server}/${env.SUITE_REPOSITORY}/blob/${version}`,
      quotedFolder: 'suite',
      acceptVariables: formatAcceptVariables({ ...env, REPORTS_DIR: 'out' }),
    };
  }
  if (!isCalledFromOutside(env)) return undefined;
  const suitePath = path.relative(findCallerFolder(env), process.cwd());
  // In a pipeline the reader has not set the variables of the job, such as REPORTS_DIR=reports/staging.
  const acceptVariables = env.CI ? formatAcceptVariables(env) : '';
  return { docsPrefix: suitePath, quotedFolder: quoteForShell(suitePath), acceptVariables };
}

const formatAcceptVariables = ({ LEDGER_FILE, REPORTS_DIR }: Environment): string =>
  Object.entries({ LEDGER_FILE, REPORTS_DIR })
    .map(([name, value]) => (value ? `${name}=${quoteForShell(value)} ` : ''))
    .join('');

const quoteForShell = (text: string): string => (text.includes(' ') ? `'${text}'` : text);

const isSameFolder = (first: string, second: string) => resolveLinks(first) === resolveLinks(second);
// The slashes keep `/suite-old` from counting as a part of `/suite`.
const isWithin = (folder: string, parent: string) =>
  `${resolveLinks(folder)}/`.startsWith(`${resolveLinks(parent)}/`);

/** Resolves symbolic links, which npm resolves only in some of its variables. The path of a missing folder stays unchanged. */
function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
