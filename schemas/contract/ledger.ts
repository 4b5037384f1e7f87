import { ownValue } from '../json.ts';
import { checkShape, createContractError, readFile, type SpecFile } from './files.ts';
import { checkSchema } from './openapi.ts';
import { isOptional, listRequirements, type Requirement } from './requirements.ts';
import type { Contract, EntryPlace, LedgerEntry, Schema } from './types.ts';
import { compileValidator, isValid } from './validators.ts';

export type { EntryPlace, LedgerEntry } from './types.ts';

/** Formats file and line of a ledger entry, such as `spec/ledger.yaml, line 30`. */
export const formatEntryPlace = ({ file = ownLedger, line }: EntryPlace): string => `${file}, line ${line}`;

const ownLedger = 'spec/ledger.yaml';

/**
 * Parses a ledger; an empty text has no entries.
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
  checkShape(file, 'ledger');
  const requirements = new Map(
    listRequirements(contract).map((requirement) => [requirement.address, requirement]),
  );
  const entries = file.value as Omit<LedgerEntry, 'line' | 'file' | 'node'>[];
  return entries.map((entry, index) => checkEntry(file, index, entry, requirements.get(entry.requirement)));
}

/** Checks a ledger entry. Adds its line, its file unless that is `spec/ledger.yaml`, and the schema of its field (`node`). */
function checkEntry(
  file: SpecFile,
  index: number,
  entry: Omit<LedgerEntry, 'line' | 'file' | 'node'>,
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
  const node = requirement.kind === 'node' ? requirement.node.schema : undefined;
  const place = {
    line: file.lineOf([index]),
    ...(file.name === ownLedger ? {} : { file: file.name }),
  };
  return { ...entry, ...place, ...(node ? { node } : {}) };
}

/**
 * Says what to do instead of an entry for a requirement that no entry can match: that a parameter is accepted, or that no field is
 * undeclared. Returns undefined for any other requirement.
 */
export function suggestAlternative(requirement: Requirement): string | undefined {
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  return isOptional(requirement) ? 'leave `undeclared` out of FAIL_ON' : undefined;
}

/** Selects the entries for a target (`TARGET_NAME`) that have not expired at a time (ISO 8601) or on a day (`YYYY-MM-DD`). */
export function selectEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => appliesTo(entry, target) && !isExpired(entry, time));
}

/** Selects the entries for a target (`TARGET_NAME`) whose last day (`until`) is before a time or day. */
export function selectExpiredEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => appliesTo(entry, target) && isExpired(entry, time));
}

/** Returns whether an entry is for a target. An entry without `target` is for every target. */
const appliesTo = (entry: LedgerEntry, target: string) => !entry.target || entry.target === target;
const isExpired = ({ until }: LedgerEntry, time: string) => until !== undefined && time.slice(0, 10) > until;

/** Parts of a violation that decide whether a ledger entry accepts it. */
interface Deviation {
  requirement: string;
  /** Value as received; undefined if it is missing. */
  value: unknown;
  /** Text shown instead of a description of the value, such as `HTTP 404`. */
  actual?: string;
  /** Object that lacks the value, if the value is missing. */
  parent?: Record<string, unknown>;
}

/** Finds the first ledger entry that accepts a violation; undefined if none does. */
export const findToleration = (violation: Deviation, entries: LedgerEntry[]): LedgerEntry | undefined =>
  entries.find((entry) => entry.requirement === violation.requirement && acceptsViolation(entry, violation));

/**
 * Returns whether a ledger entry accepts a violation of its requirement: `schema` a value that conforms to it, `missing` that the
 * value is missing, `name` that it is missing and its object has a valid value under that other name.
 */
function acceptsViolation({ accepts, node }: LedgerEntry, { value, actual, parent }: Deviation): boolean {
  if ('schema' in accepts) return isValid(compileValidator(accepts.schema), value);
  if ('missing' in accepts) return value === undefined && actual === undefined;
  return value === undefined && !!node && hasValidValue(parent, accepts.name, node);
}

/** Returns whether an object has a value of a name, and the value conforms to a schema. */
export function hasValidValue(
  parent: Record<string, unknown> | undefined,
  name: string,
  schema: Schema,
): boolean {
  const value = ownValue(parent, name);
  return value !== undefined && isValid(compileValidator(schema), value);
}
