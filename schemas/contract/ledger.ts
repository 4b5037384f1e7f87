import { getOwnValue } from '../json.ts';
import { checkFileSchema, createContractError, readFile, type SpecFile } from './files.ts';
import { checkSchema } from './openapi.ts';
import { isDeclaredFieldsRule, listRequirements, type Requirement } from './requirements.ts';
import type { Contract, EntryPlace, LedgerEntry, Schema } from './types.ts';
import { compileValidator, isValid } from './validators.ts';

export type { EntryPlace, LedgerEntry } from './types.ts';

export const formatEntryPlace = ({ file = ownLedger, line }: EntryPlace): string => `${file}, line ${line}`;

const ownLedger = 'spec/ledger.yaml';

/**
 * Parses and checks a ledger, a YAML list of tolerated deviations; an empty text has no entries.
 * @param contract operations whose requirements the entries may name
 * @param name name of the ledger in messages; default: `spec/ledger.yaml`
 * @throws {ContractError} with the line of the first wrong entry.
 */
export function readLedger(
  content: string,
  contract: Pick<Contract, 'operations'>,
  name = ownLedger,
): LedgerEntry[] {
  const specFile = readFile(name, content);
  const file = { ...specFile, value: specFile.value ?? [] };
  checkFileSchema(file, 'ledger');
  const requirements = new Map(
    listRequirements(contract).map((requirement) => [requirement.address, requirement]),
  );
  const entries = file.value as Omit<LedgerEntry, 'line' | 'file' | 'fieldSchema'>[];
  return entries.map((entry, index) => checkEntry(file, index, entry, requirements.get(entry.requirement)));
}

/**
 * Checks a ledger entry. Returns it with its line, with the schema of its field or element (`fieldSchema`), and with its file unless that
 * is `spec/ledger.yaml`.
 * @param requirement requirement that the entry names; undefined if the contract has none of that address
 * @throws {ContractError} if the entry lacks a source or link, or names a requirement that cannot be tolerated.
 */
function checkEntry(
  file: SpecFile,
  index: number,
  entry: Omit<LedgerEntry, 'line' | 'file' | 'fieldSchema'>,
  requirement: Requirement | undefined,
): LedgerEntry {
  const createEntryError = (key: string, message: string) => createContractError(file, [index, key], message);
  if (!entry.source && !entry.link)
    throw createEntryError('requirement', 'an entry needs a source or a link; add one');
  if (!requirement)
    throw createEntryError(
      'requirement',
      `unknown requirement ${entry.requirement}; \`npm run requirements\` lists those that exist`,
    );
  const alternative = suggestAlternative(requirement);
  if (alternative)
    throw createEntryError('requirement', `${entry.requirement} cannot be tolerated here; ${alternative}`);
  if ('schema' in entry.accepts) checkSchema(file, [index, 'accepts', 'schema'], entry.accepts.schema);
  const fieldSchema = requirement.kind === 'node' ? requirement.node.schema : undefined;
  const place = {
    line: file.lineOf([index]),
    ...(file.name === ownLedger ? {} : { file: file.name }),
  };
  return { ...entry, ...place, ...(fieldSchema ? { fieldSchema } : {}) };
}

/**
 * Returns what to do instead of writing a ledger entry, for the two kinds of requirements that no entry can tolerate: that a
 * parameter is accepted, and that no field is undeclared. Undefined for any other requirement.
 */
export function suggestAlternative(requirement: Requirement): string | undefined {
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  return isDeclaredFieldsRule(requirement) ? 'leave `undeclared` out of FAIL_ON' : undefined;
}

/**
 * Selects the ledger entries for a target (`TARGET_NAME`) that have not expired (`until`) at a time in ISO 8601 or on a day
 * (`YYYY-MM-DD`).
 */
export function selectEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => appliesTo(entry, target) && !isExpired(entry, time));
}

/**
 * Selects the ledger entries for a target (`TARGET_NAME`) whose last day (`until`) is before a time in ISO 8601 or a day
 * (`YYYY-MM-DD`).
 */
export function selectExpiredEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => appliesTo(entry, target) && isExpired(entry, time));
}

/** Returns whether a ledger entry is for a target (`TARGET_NAME`). An entry without `target` is for every target. */
const appliesTo = (entry: LedgerEntry, target: string) => !entry.target || entry.target === target;

const isExpired = ({ until }: LedgerEntry, time: string) => {
  const day = time.slice(0, 10);
  return until !== undefined && day > until;
};

/** Fields of a violation by which `findToleratingEntry` decides whether a ledger entry accepts it. */
interface Deviation {
  requirement: string;
  /** Received value; undefined if the field is missing, or if the violation is about no value. */
  value: unknown;
  actual?: string;
  /** Object that lacks the field, if the field is missing. The object may have the value under another name. */
  parent?: Record<string, unknown>;
}

/** Finds the first ledger entry that accepts a violation; undefined if none does. */
export const findToleratingEntry = (violation: Deviation, entries: LedgerEntry[]): LedgerEntry | undefined =>
  entries.find((entry) => entry.requirement === violation.requirement && acceptsViolation(entry, violation));

/**
 * Returns whether a ledger entry accepts a violation of its requirement. `accepts.schema` accepts a value that conforms to this
 * schema. `accepts.missing` accepts a missing field. `accepts.name` accepts a missing field whose object has a valid value under
 * this other name.
 */
function acceptsViolation(
  { accepts, fieldSchema }: LedgerEntry,
  { value, actual, parent }: Deviation,
): boolean {
  if ('schema' in accepts) return isValid(compileValidator(accepts.schema), value);
  // `actual` describes another fault than a missing field, such as a field with another name.
  if ('missing' in accepts) return value === undefined && actual === undefined;
  return value === undefined && !!fieldSchema && hasValidValue(parent, accepts.name, fieldSchema);
}

/** Returns whether an object has a field of this name whose value conforms to a schema. */
export function hasValidValue(
  parent: Record<string, unknown> | undefined,
  name: string,
  schema: Schema,
): boolean {
  const value = getOwnValue(parent, name);
  return value !== undefined && isValid(compileValidator(schema), value);
}
