import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContractError, parseSpecFile } from './files.ts';
import { readLedger } from './ledger.ts';
import { locateRequirements } from './locations.ts';
import { readOpenapi } from './openapi.ts';
import { readQuestions } from './questions.ts';
import { readRules, selectRules } from './rules.ts';
import type { Contract } from './types.ts';

export * from './types.ts';

/** Texts of the files in `spec/`, keyed by file name such as `openapi.yaml`. */
export type SpecTexts = Record<(typeof specFiles)[number], string>;

export const specFiles = ['openapi.yaml', 'requirements.yaml', 'ledger.yaml', 'questions.yaml'] as const;

const specFolder = fileURLToPath(new URL('../../spec/', import.meta.url));

/** Second ledger (YAML list of tolerated deviations), from the environment variable `LEDGER_FILE`. */
export interface ExtraLedger {
  /** Absolute path. */
  file: string;
  /**
   * Path of the ledger in messages, such as `conformance/ledger.yaml`. The path is relative to the folder in which npm was called.
   * A file outside of that folder is shown by its name alone.
   */
  name: string;
}

/**
 * Loads the contract from `spec/`. If the file of `extraLedger` exists, its entries are appended to the ledger of the contract.
 * @throws {ContractError} at the first mistake in a file
 */
export function loadContract(extraLedger?: ExtraLedger): Contract {
  const contract = loadSpecFolder();
  if (!extraLedger) return contract;
  // Not an error here, because the check of the configuration reports a missing `LEDGER_FILE`.
  if (!existsSync(extraLedger.file)) return contract;
  const { file, name } = extraLedger;
  const extraEntries = readLedger(readText(file, name), contract, name);
  return { ...contract, ledger: [...contract.ledger, ...extraEntries] };
}

/** Content of the cache file. `key` is a hash of the files from which `contract` was built, and of the version of Node.js. */
interface CacheEntry {
  key: string;
  contract: Contract;
}

let lastEntry: CacheEntry | undefined;

function loadSpecFolder(): Contract {
  const specTexts = readSpecTexts();
  const key = computeCacheKey(specTexts);
  // Without the cache, building the contract would take most of the time in which a process starts.
  if (lastEntry?.key !== key) lastEntry = readCache(key) ?? buildAndCache(key, specTexts);
  return lastEntry.contract;
}

function computeCacheKey(specTexts: SpecTexts): string {
  // In UI mode, files in `spec/` may change while a process runs. Its code stays as it was loaded.
  codeHash ??= computeCodeHash();
  return createHash('sha256').update(codeHash).update(JSON.stringify(specTexts)).digest('hex');
}

let codeHash: string | undefined;

function computeCodeHash(): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of listCodeFiles()) hash.update(readFileSync(file));
  return hash.digest('hex');
}

/** Lists the files of code on which the cached contract depends. A package such as `ajv` is listed as its `package.json`. */
export function listCodeFiles(): (URL | string)[] {
  const folders = [new URL('.', import.meta.url), new URL('..', import.meta.url)];
  const filesAndFolders = folders.flatMap((folder) =>
    readdirSync(folder).map((name) => new URL(name, folder)),
  );
  const files = filesAndFolders.filter(({ pathname }) => /\.(ts|json)$/.test(pathname));
  const { resolve } = createRequire(import.meta.url);
  // `package.json` has the version of the package.
  const packageFiles = ['ajv', 'ajv-formats', 'yaml'].map((name) => resolve(`${name}/package.json`));
  return [...files, ...packageFiles];
}

const cacheFile = new URL('../../node_modules/.cache/lookup-api-conformance.json', import.meta.url);

function readCache(key: string): CacheEntry | undefined {
  try {
    const entry: CacheEntry = JSON.parse(readFileSync(cacheFile, 'utf8'));
    return entry.key === key ? entry : undefined;
  } catch {
    return undefined;
  }
}

function buildAndCache(key: string, specTexts: SpecTexts): CacheEntry {
  const entry = { key, contract: buildContract(specTexts) };
  try {
    mkdirSync(new URL('.', cacheFile), { recursive: true });
    writeFileSync(cacheFile, JSON.stringify(entry));
  } catch {
    // The cache is optional: without write access, each process builds the contract.
  }
  return entry;
}

export function loadContractOrError(extraLedger?: ExtraLedger): Contract | ContractError {
  try {
    return loadContract(extraLedger);
  } catch (error) {
    if (error instanceof ContractError) return error;
    throw error;
  }
}

export const getSpecPath = (name: keyof SpecTexts) => path.join(specFolder, name);

export const readSpecTexts = (): SpecTexts =>
  Object.fromEntries(specFiles.map((name) => [name, readSpecText(name)])) as SpecTexts;

/** @throws {ContractError} if the file cannot be read */
export const readSpecText = (name: keyof SpecTexts): string => readText(getSpecPath(name), `spec/${name}`);

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ContractError(`${name}, line 1: the file cannot be read; restore it`);
  }
}

/** @throws {ContractError} at the first mistake in a text */
export function buildContract(texts: SpecTexts): Contract {
  const parseText = (name: keyof SpecTexts) => parseSpecFile(`spec/${name}`, texts[name]);
  const openapiFile = parseText('openapi.yaml');
  const rulesFile = parseText('requirements.yaml');
  const openapi = readOpenapi(openapiFile);
  const { operations } = openapi;
  const rules = readRules(rulesFile, operations);
  for (const operation of operations) operation.rules = selectRules(operation, rules);
  return {
    ...openapi,
    ledger: readLedger(texts['ledger.yaml'], { operations }),
    questions: readQuestions(parseText('questions.yaml')),
    hash: computeContractHash(texts),
    locations: locateRequirements(operations, openapiFile, rulesFile),
  };
}

function computeContractHash(texts: SpecTexts): string {
  const hash = createHash('sha256').update(texts['openapi.yaml']).update(texts['requirements.yaml']);
  return hash.digest('hex').slice(0, 12);
}
