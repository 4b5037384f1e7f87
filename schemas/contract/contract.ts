import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContractError, parseSpecFile } from './files.ts';
import { readLedger } from './ledger.ts';
import { locateRequirements } from './locations.ts';
import { readOpenapi } from './openapi.ts';
import { readQuestions } from './questions.ts';
import { readRules, selectRules } from './rules.ts';
import type { Contract } from './types.ts';

export type {
  Check,
  CheckOf,
  Contract,
  LookupCheck,
  Operation,
  Parameter,
  Relation,
  Rule,
  Schema,
} from './types.ts';
export { isRelation } from './types.ts';

/** Texts of the files in `spec/`, keyed by file name such as `openapi.yaml`. */
export type SpecTexts = Record<(typeof specFiles)[number], string>;

export const specFiles = ['openapi.yaml', 'requirements.yaml', 'ledger.yaml', 'questions.yaml'] as const;

const specFolder = fileURLToPath(new URL('../../spec/', import.meta.url));

/**
 * Latest contract that was built from `spec/`, or the `ContractError` of the latest failed attempt. Reused as long as
 * `serializedTexts`, the texts of the files as JSON, are the same.
 */
let lastResult: { serializedTexts: string; contract: Contract | ContractError } | undefined;

/** Ledger (list of tolerated deviations) that the user of the suite keeps: the YAML file that `LEDGER_FILE` names. */
export interface CallerLedger {
  file: string;
  /** Path of the file as written in `LEDGER_FILE`, which error messages show. */
  name: string;
}

/**
 * Reads and checks all files of `spec/`, and returns them as one `Contract`. If the file of `callerLedger` exists, adds its
 * entries to `Contract.ledger`.
 * @throws {ContractError} at the first mistake in `spec/` or in the file of `callerLedger`.
 */
export function loadContract(callerLedger?: CallerLedger): Contract {
  const contract = loadSpecFolder();
  if (contract instanceof ContractError) throw contract;
  // A missing `LEDGER_FILE` is no error here, because the check of the configuration reports it.
  if (!callerLedger || !existsSync(callerLedger.file)) return contract;
  const { file, name } = callerLedger;
  const callerEntries = readLedger(readText(file, name), contract, name);
  return { ...contract, ledger: [...contract.ledger, ...callerEntries] };
}

function loadSpecFolder(): Contract | ContractError {
  const specTexts = readSpecTexts();
  const serializedTexts = JSON.stringify(specTexts);
  if (lastResult?.serializedTexts !== serializedTexts) {
    const build = () => catchContractError(() => buildContract(specTexts));
    lastResult = { serializedTexts, contract: readCacheOrBuild(serializedTexts, build) };
  }
  return lastResult.contract;
}

const cacheFile = new URL('../../node_modules/.cache/lookup-api-conformance.json', import.meta.url);

/**
 * Returns the contract in the cache file, if it was built from the same texts of `spec/`. Otherwise calls `build` and writes its
 * contract to the cache file; a `ContractError` is not written. The cache saves most of the time that a process needs to start:
 * parsing YAML and checking schemas takes twenty times as long as everything else.
 */
function readCacheOrBuild(serializedTexts: string, build: () => Contract | ContractError) {
  const key = computeCacheKey(serializedTexts);
  const cacheEntry = readCache();
  if (cacheEntry?.key === key) return cacheEntry.contract;
  const contract = build();
  if (!(contract instanceof ContractError)) writeCache({ key, contract });
  return contract;
}

/** Hashes all that a built contract depends on: the texts of `spec/`, the version of Node, and the code in this folder. */
function computeCacheKey(serializedTexts: string): string {
  const hash = createHash('sha256').update(process.version + serializedTexts);
  const codeFolder = new URL('.', import.meta.url);
  for (const name of readdirSync(codeFolder)) hash.update(readFileSync(new URL(name, codeFolder)));
  return hash.digest('hex');
}

interface CacheEntry {
  key: string;
  contract: Contract;
}

function writeCache(entry: CacheEntry): void {
  try {
    mkdirSync(new URL('.', cacheFile), { recursive: true });
    writeFileSync(cacheFile, JSON.stringify(entry));
  } catch {
    // The cache is optional: without write access, each process builds the contract.
  }
}

function readCache(): CacheEntry | undefined {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Loads the contract as `loadContract` does, but returns a `ContractError` instead of throwing it. */
export const loadContractOrError = (callerLedger?: CallerLedger): Contract | ContractError =>
  catchContractError(() => loadContract(callerLedger));

function catchContractError(load: () => Contract): Contract | ContractError {
  try {
    return load();
  } catch (error) {
    if (error instanceof ContractError) return error;
    throw error;
  }
}

export const getSpecPath = (name: keyof SpecTexts) => path.join(specFolder, name);

export const readSpecTexts = (): SpecTexts =>
  Object.fromEntries(specFiles.map((name) => [name, readSpecText(name)])) as SpecTexts;

/** Reads a file in `spec/`, such as `openapi.yaml`, as text. @throws {ContractError} if the file cannot be read. */
export const readSpecText = (name: keyof SpecTexts): string => readText(getSpecPath(name), `spec/${name}`);

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ContractError(`${name}, line 1: the file cannot be read; restore it`);
  }
}

/** Parses and checks the texts of all files in `spec/`. @throws {ContractError} at the first mistake. */
export function buildContract(texts: SpecTexts): Contract {
  const readSpecFile = (name: keyof SpecTexts) => parseSpecFile(`spec/${name}`, texts[name]);
  const [openapiFile, rulesFile] = [readSpecFile('openapi.yaml'), readSpecFile('requirements.yaml')];
  const { operations, ...documentParts } = readOpenapi(openapiFile);
  const rules = readRules(rulesFile, operations);
  for (const operation of operations) operation.rules = selectRules(operation, rules);
  const hash = createHash('sha256').update(texts['openapi.yaml']).update(texts['requirements.yaml']);
  return {
    ...documentParts,
    operations,
    ledger: readLedger(texts['ledger.yaml'], { operations }),
    questions: readQuestions(readSpecFile('questions.yaml')),
    hash: hash.digest('hex').slice(0, 12),
    locations: locateRequirements(operations, openapiFile, rulesFile),
  };
}
