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

export * from './types.ts';

/** Texts of the four files in `spec/`, keyed by file name: `{ 'openapi.yaml': 'openapi: 3.1.0 …', … }`. */
export type SpecTexts = Record<(typeof specFiles)[number], string>;

export const specFiles = ['openapi.yaml', 'requirements.yaml', 'ledger.yaml', 'questions.yaml'] as const;

const specFolder = fileURLToPath(new URL('../../spec/', import.meta.url));

/** Contract that was loaded last. `serializedTexts` is the JSON of the `SpecTexts` from which the contract was built. */
let lastLoad: { serializedTexts: string; contract: Contract } | undefined;

/** Second ledger (YAML list of tolerated deviations), which the environment variable `LEDGER_FILE` names. */
export interface ExtraLedger {
  file: string;
  /** Value of `LEDGER_FILE`, as error messages show it. */
  name: string;
}

/**
 * Loads the contract from the files of `spec/`. If there is an `extraLedger`, appends its entries to `Contract.ledger`.
 * @throws {ContractError} at the first mistake in one of these files
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

function loadSpecFolder(): Contract {
  const specTexts = readSpecTexts();
  const serializedTexts = JSON.stringify(specTexts);
  if (lastLoad?.serializedTexts === serializedTexts) return lastLoad.contract;
  const contract = readCacheOrBuild(specTexts, serializedTexts);
  lastLoad = { serializedTexts, contract };
  return contract;
}

const cacheFile = new URL('../../node_modules/.cache/lookup-api-conformance.json', import.meta.url);

/** Reads the contract from the cache file. If the file is missing or outdated, builds the contract and writes the file. */
function readCacheOrBuild(specTexts: SpecTexts, serializedTexts: string): Contract {
  // Without the cache, building the contract would take most of the time in which a process starts.
  const key = computeCacheKey(serializedTexts);
  const cacheEntry = readCache();
  if (cacheEntry?.key === key) return cacheEntry.contract;
  const contract = buildContract(specTexts);
  writeCache({ key, contract });
  return contract;
}

/** Hashes everything that a built contract depends on: the texts of `spec/`, the version of Node, and the code in this folder. */
function computeCacheKey(serializedTexts: string): string {
  const hash = createHash('sha256').update(process.version + serializedTexts);
  const codeFolder = new URL('.', import.meta.url);
  for (const fileName of readdirSync(codeFolder)) {
    const code = readFileSync(new URL(fileName, codeFolder));
    hash.update(code);
  }
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

/** Reads the text of a file in `spec/`. @throws {ContractError} if the file cannot be read. */
export const readSpecText = (name: keyof SpecTexts): string => readText(getSpecPath(name), `spec/${name}`);

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ContractError(`${name}, line 1: the file cannot be read; restore it`);
  }
}

/** Builds the contract from the texts of all files in `spec/`. @throws {ContractError} at the first mistake in a text */
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
