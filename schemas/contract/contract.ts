import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContractError, readFile } from './files.ts';
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
 * Cache of `loadContract`: the texts in `spec/` as JSON, and the contract built from them, or the `ContractError` of their first
 * mistake. Reused while the texts are unchanged.
 */
let lastLoaded: { texts: string; contract: Contract | ContractError } | undefined;

/** Second list of tolerated deviations, besides `spec/ledger.yaml`: the file that `LEDGER_FILE` names. */
export interface CallerLedger {
  file: string;
  /** Name of the ledger in messages, as `LEDGER_FILE` gives it. */
  name: string;
}

/**
 * Reads and checks all files of `spec/`, and returns them as one `Contract`. Appends the entries of the second ledger
 * (`LEDGER_FILE`) if that file exists.
 * @throws {ContractError} at the first mistake in `spec/` or in the second ledger.
 */
export function loadContract(callerLedger?: CallerLedger): Contract {
  const specTexts = readSpecTexts();
  const serializedTexts = JSON.stringify(specTexts);
  if (lastLoaded?.texts !== serializedTexts)
    lastLoaded = {
      texts: serializedTexts,
      contract: loadOrBuild(serializedTexts, () => catchMistake(() => buildContract(specTexts))),
    };
  const { contract } = lastLoaded;
  if (contract instanceof ContractError) throw contract;
  // A missing `LEDGER_FILE` is no error here, because the check of the configuration reports it.
  if (!callerLedger || !existsSync(callerLedger.file)) return contract;
  const callerEntries = readLedger(
    readText(callerLedger.file, callerLedger.name),
    contract,
    callerLedger.name,
  );
  return { ...contract, ledger: [...contract.ledger, ...callerEntries] };
}

const cacheFile = new URL('../../node_modules/.cache/lookup-api-conformance.json', import.meta.url);

/**
 * Returns the contract that an earlier process cached for identical texts, or else builds it with `build` and caches it: parsing
 * YAML and checking schemas takes twenty times as long as everything else in the start of a process.
 * The key of the cache is a hash of the texts, the version of Node and the code in `schemas/contract/`. A contract with a mistake
 * is not cached.
 */
function loadOrBuild(serializedTexts: string, build: () => Contract | ContractError) {
  const hash = createHash('sha256').update(process.version + serializedTexts);
  const moduleFolder = new URL('.', import.meta.url);
  for (const name of readdirSync(moduleFolder)) hash.update(readFileSync(new URL(name, moduleFolder)));
  const key = hash.digest('hex');
  const cacheEntry = readCache();
  if (cacheEntry?.key === key) return cacheEntry.contract;
  const contract = build();
  if (!(contract instanceof ContractError)) writeCache({ key, contract });
  return contract;
}

interface CacheEntry {
  key: string;
  contract: Contract;
}

/** Writes a contract and its key to the cache file. Does nothing if the file cannot be written. */
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

/** Loads the contract. Returns a `ContractError` instead of throwing it, for callers that can continue without a contract. */
export const loadContractOrError = (callerLedger?: CallerLedger): Contract | ContractError =>
  catchMistake(() => loadContract(callerLedger));

/** Calls `load`, and returns its result or the `ContractError` that it throws. Throws any other error again. */
function catchMistake(load: () => Contract): Contract | ContractError {
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

/** Reads the text of a file in `spec/`. @throws {ContractError} if the file cannot be read. */
export const readSpecText = (name: keyof SpecTexts): string => readText(getSpecPath(name), `spec/${name}`);

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ContractError(`${name}, line 1: the file cannot be read; restore it`);
  }
}

/** Builds the contract from the texts of all files in `spec/`. @throws {ContractError} at the first mistake. */
export function buildContract(texts: SpecTexts): Contract {
  const readSpecFile = (name: keyof SpecTexts) => readFile(`spec/${name}`, texts[name]);
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
