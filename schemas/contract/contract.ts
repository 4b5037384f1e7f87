import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContractError, readFile } from './files.ts';
import { readLedger } from './ledger.ts';
import { readOpenapi } from './openapi.ts';
import { readQuestions } from './questions.ts';
import { readRules, rulesFor } from './rules.ts';
import type { Contract } from './types.ts';

export type {
  Check,
  CheckOf,
  Contract,
  Listed,
  Operation,
  Parameter,
  Relation,
  Rule,
  Schema,
} from './types.ts';
export { isRelation } from './types.ts';

/** The files of `spec/`, by their texts. */
export type SpecTexts = Record<(typeof specFiles)[number], string>;

/** Names of the files in `spec/`. */
export const specFiles = ['openapi.yaml', 'requirements.yaml', 'ledger.yaml', 'questions.yaml'] as const;

const specFolder = fileURLToPath(new URL('../../spec/', import.meta.url));

/** The contract that this process has loaded last: a text that is unchanged is not read again. */
let loaded: { texts: string; contract: Contract } | undefined;

/** A ledger of the caller's own: its path, and how it is shown. */
export interface CallersLedger {
  file: string;
  name: string;
}

/**
 * Reads everything in `spec/`, and the ledger of the caller. A process calls this where it begins, and passes the contract on.
 * @throws {ContractError} at the first mistake.
 */
export function loadContract(callers?: CallersLedger): Contract {
  const read = readSpecTexts();
  const texts = JSON.stringify(read);
  if (loaded?.texts !== texts) loaded = { texts, contract: withCache(texts, () => buildContract(read)) };
  const { contract } = loaded;
  // That there is no such file, the configuration says.
  if (!callers || !existsSync(callers.file)) return contract;
  const more = readLedger(readText(callers.file, callers.name), contract, callers.name);
  return { ...contract, ledger: [...contract.ledger, ...more] };
}

const cacheFile = new URL('../../node_modules/.cache/lookup-api-conformance.json', import.meta.url);

/**
 * The contract that an earlier process has built of the same texts, or else a new one: in each process of a run, reading
 * YAML and checking schemas takes twenty times as long as all else.
 */
function withCache(texts: string, build: () => Contract): Contract {
  const hash = createHash('sha256').update(process.version + texts);
  const own = new URL('.', import.meta.url);
  for (const name of readdirSync(own)) hash.update(readFileSync(new URL(name, own)));
  const key = hash.digest('hex');
  const cached = readCache();
  if (cached?.key === key) return cached.contract;
  const contract = build();
  try {
    mkdirSync(new URL('.', cacheFile), { recursive: true });
    writeFileSync(cacheFile, JSON.stringify({ key, contract }));
  } catch {
    // Where nothing may be written, the texts are read each time.
  }
  return contract;
}

function readCache(): { key: string; contract: Contract } | undefined {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The contract, or why it cannot be used, for those who have to go on without it. */
export function contractOrProblem(callers?: CallersLedger): Contract | ContractError {
  try {
    return loadContract(callers);
  } catch (error) {
    if (error instanceof ContractError) return error;
    throw error;
  }
}

/** Returns how messages name a file of the contract: `spec/openapi.yaml`. */
export const specName = (name: keyof SpecTexts) => `spec/${name}`;

/** Path of a file in `spec/`, for those who write it. */
export const specFile = (name: keyof SpecTexts) => path.join(specFolder, name);

/** The texts of the files in `spec/`. @throws {ContractError} when one cannot be read. */
export const readSpecTexts = (): SpecTexts =>
  Object.fromEntries(specFiles.map((name) => [name, readSpecText(name)])) as SpecTexts;

/** The text of one file in `spec/`. @throws {ContractError} when it cannot be read. */
export const readSpecText = (name: keyof SpecTexts): string => readText(specFile(name), `spec/${name}`);

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ContractError(`${name}, line 1: the file cannot be read; restore it`);
  }
}

/** Builds a contract from the texts of its files. @throws {ContractError} at the first mistake. */
export function buildContract(texts: SpecTexts): Contract {
  const read = (name: keyof SpecTexts) => readFile(`spec/${name}`, texts[name]);
  const { operations, ...rest } = readOpenapi(read('openapi.yaml'));
  const rules = readRules(read('requirements.yaml'), operations);
  for (const operation of operations) operation.rules = rulesFor(operation, rules);
  const hash = createHash('sha256').update(texts['openapi.yaml']).update(texts['requirements.yaml']);
  return {
    ...rest,
    operations,
    ledger: readLedger(texts['ledger.yaml'], { operations }),
    questions: readQuestions(read('questions.yaml')),
    hash: hash.digest('hex').slice(0, 12),
    text: texts['openapi.yaml'],
  };
}
