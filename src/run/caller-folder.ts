import { realpathSync } from 'node:fs';
import path from 'node:path';
import { standardInput } from '../traffic/shown-source.ts';
import type { Environment } from './variable-table.ts';

function findCallerFolder(env: Environment = process.env): string {
  const suiteFolder = process.cwd();
  // npm sets both variables for each script that it runs.
  const { INIT_CWD: callFolder, npm_package_json: manifest } = env;
  if (!callFolder || !manifest) return suiteFolder;
  // If a script of another project has started this process, npm has set the variables for that project.
  const isScriptOfSuite = resolveLinks(path.dirname(manifest)) === resolveLinks(suiteFolder);
  const isCalledFromSuite = isWithin(callFolder, suiteFolder);
  if (!isScriptOfSuite || isCalledFromSuite) return suiteFolder;
  return callFolder;
}

export const isCalledFromOutside = (env: Environment = process.env): boolean =>
  findCallerFolder(env) !== process.cwd();

/** Resolves a path against the folder in which npm was called. If that folder belongs to the suite, returns the path unchanged. */
export const resolveCallerPath = (file: string, env: Environment = process.env): string =>
  isCalledFromOutside(env) ? path.resolve(findCallerFolder(env), file) : file;

/** Returns whether the GitHub action of this suite (`action.yml`) runs this process. */
export const isGitHubAction = ({ SUITE_REPOSITORY }: Environment): boolean => Boolean(SUITE_REPOSITORY);

/** Describes the base folder of relative paths, such as `the folder of the suite`. */
export function describeCallerFolder(env: Environment): string {
  if (isGitHubAction(env)) return 'the workspace of the job';
  return isCalledFromOutside(env) ? 'the folder in which npm was called' : 'the folder of the suite';
}

export const resolveCallerSource = (source: string): string =>
  source === standardInput ? source : resolveCallerPath(source);

/**
 * Formats a path relative to the base folder of `resolveCallerPath`. With the base folder `/project`, `/project/out` becomes `out`.
 * An absolute path outside of the base folder stays absolute.
 */
export function formatCallerPath(file: string): string {
  const relativePath = path.relative(findCallerFolder(), file) || '.';
  const isOutside = relativePath.startsWith('..');
  return isOutside && path.isAbsolute(file) ? file : relativePath;
}

/** Matches a path such as `docs/sweep.md`. Does not match the end of a URL or of a longer path. */
const documentPath = /(?<![\w/.-])docs\/[\w-]+\.md/g;

const npmCommand = /\bnpm run ([a-z]+)/g;

/**
 * Adapts commands and paths in a text to the folder of the reader: `npm run doctor` becomes `npm --prefix ../suite run doctor`.
 * In the GitHub action, always adapts the text. Otherwise, adapts the text only if npm was called outside of the suite's folder.
 */
export function adaptToCallerFolder(text: string, env: Environment = process.env): string {
  const suite = findSuite(env);
  // Undefined if the reader is in the folder of the suite, where the text fits unchanged.
  if (!suite) return text;
  const adaptCommand = (script: string) => {
    // `npm run accept` needs the ledger and the reports of this run.
    const variables = script === 'accept' ? suite.acceptVariables : '';
    return `${variables}npm --prefix ${suite.quotedFolder} run ${script}`;
  };
  return text
    .replace(documentPath, (file) => `${suite.docsPrefix}/${file}`)
    .replace(npmCommand, (_, script: string) => adaptCommand(script));
}

/** Copies a JSON value, and applies `adaptToCallerFolder` to its string values. */
export const adaptTextsToCallerFolder = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part === 'string' ? adaptToCallerFolder(part) : part,
  );

/**
 * Adds to a Markdown report how to clone the suite. Changes only reports of the GitHub action that have a command such as
 * `npm --prefix suite run accept`.
 */
export function addCloneHint(markdown: string, env: Environment = process.env): string {
  const { SUITE_REPOSITORY: repository } = env;
  const hasCommand = markdown.includes('npm --prefix suite ');
  if (!repository || !hasCommand) return markdown;
  const { server, version } = readSuiteAddress(env);
  const cloneCommand = `git clone ${quoteForShell(`${server}/${repository}`)} suite && git -C suite checkout ${quoteForShell(version)} && npm --prefix suite ci --omit=dev`;
  const unpackAdvice = 'unpack the artifact of the run into the folder `out`';
  return `${markdown}\nThe commands run in a checkout of your repository: first \`${cloneCommand}\`, and ${unpackAdvice}.\n`;
}

const readSuiteAddress = ({ GITHUB_SERVER_URL: server, SUITE_REF: version }: Environment) => ({
  server: server || 'https://github.com',
  version: version || 'HEAD',
});

interface SuiteLocation {
  /**
   * Text before `/docs/sweep.md` in the address of this document. If the suite is a local folder, the prefix is the path of the
   * folder, such as `../suite`. For the GitHub action, the prefix is a URL, such as `https://github.com/…/blob/v1`.
   */
  docsPrefix: string;
  quotedFolder: string;
  /** Shell assignments before `npm … run accept`, such as `REPORTS_DIR=out `. */
  acceptVariables: string;
}

function findSuite(env: Environment): SuiteLocation | undefined {
  if (isGitHubAction(env)) return locateSuiteOfAction(env);
  if (!isCalledFromOutside(env)) return undefined;
  const suitePath = path.relative(findCallerFolder(env), process.cwd());
  // A person who repeats a command of a pipeline has not set the variables of the job, such as REPORTS_DIR=reports/staging.
  const acceptVariables = env.CI ? formatAcceptVariables(env) : '';
  return { docsPrefix: suitePath, quotedFolder: quoteForShell(suitePath), acceptVariables };
}

// For a person who has cloned the suite and unpacked the reports as `addCloneHint` advises.
function locateSuiteOfAction(env: Environment): SuiteLocation {
  const { server, version } = readSuiteAddress(env);
  return {
    docsPrefix: `${server}/${env.SUITE_REPOSITORY}/blob/${version}`,
    quotedFolder: 'suite',
    acceptVariables: formatAcceptVariables({ ...env, REPORTS_DIR: 'out' }),
  };
}

const formatAcceptVariables = ({ LEDGER_FILE, REPORTS_DIR }: Environment): string =>
  Object.entries({ LEDGER_FILE, REPORTS_DIR })
    .map(([name, value]) => (value ? `${name}=${quoteForShell(value)} ` : ''))
    .join('');

const quoteForShell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

// The slashes keep `/suite-old` from counting as a part of `/suite`.
const isWithin = (folder: string, parent: string) =>
  `${resolveLinks(folder)}/`.startsWith(`${resolveLinks(parent)}/`);

function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
