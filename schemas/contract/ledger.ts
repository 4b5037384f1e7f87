import { getOwnValue } from '../json.ts';
import { checkFileSchema, createContractError, parseSpecFile, type SpecFile } from './files.ts';
import { checkSchema } from './openapi.ts';
import { isDeclaredFieldsRule, listRequirements, type Requirement } from './requirements.ts';
import type { Contract, EntryPlace, LedgerEntry, RequirementAddress, Schema } from './types.ts';
import { compileValidator, isValid } from './validators.ts';

export type { EntryPlace, LedgerEntry } from './types.ts';

export const formatEntryPlace = ({ file = ownLedger, line }: EntryPlace): string => `${file}, line ${line}`;

const ownLedger = 'spec/ledger.yaml';

/** Ledger entry as written in the YAML file, before the suite adds keys. */
type WrittenEntry = Omit<LedgerEntry, 'line' | 'file' | 'fieldSchema'>;

/**
 * Parses and checks a ledger, which is a YAML list of tolerated deviations. Returns an empty list for an empty text.
 * @param contract operations whose requirements the entries may name
 * @param name name of the file in messages; default: `spec/ledger.yaml`
 * @throws {ContractError} with the line of the first mistake.
 */
export function readLedger(
  text: string,
  contract: Pick<Contract, 'operations'>,
  name = ownLedger,
): LedgerEntry[] {
  const specFile = parseSpecFile(name, text);
  const file = { ...specFile, value: specFile.value ?? [] };
  checkFileSchema(file, 'ledger');
  const requirements = new Map(
    listRequirements(contract).map((requirement) => [requirement.address, requirement]),
  );
  const entries = file.value as WrittenEntry[];
  return entries.map((entry, index) => checkEntry(file, index, entry, requirements.get(entry.requirement)));
}

/**
 * Checks a ledger entry, and returns it with `line`, `file` and `fieldSchema` added.
 * @param index position of the entry in the file, from 0
 * @param requirement requirement that the entry names; undefined if the contract has no such requirement
 * @throws {ContractError} if the entry has neither source nor link, or names a requirement that no entry can tolerate.
 */
function checkEntry(
  file: SpecFile,
  index: number,
  entry: WrittenEntry,
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
  return {
    ...entry,
    line: file.getLine([index]),
    ...(file.name === ownLedger ? {} : { file: file.name }),
    ...(fieldSchema ? { fieldSchema } : {}),
  };
}

/**
 * Returns advice for someone who wants a ledger entry for a requirement that no entry can tolerate: that the target accepts a
 * parameter, or that the body has only declared fields. Undefined for any other requirement.
 */
export function suggestAlternative(requirement: Requirement): string | undefined {
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  return isDeclaredFieldsRule(requirement) ? 'leave `undeclared` out of FAIL_ON' : undefined;
}

/**
 * Selects the ledger entries that apply to a target at a given time. An entry with another `target` does not apply, nor one whose
 * last day `until` has passed.
 * @param target value of `TARGET_NAME`
 * @param time ISO 8601 time, or a day such as `2026-01-31`
 */
export function selectEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => isForTarget(entry, target) && !isExpired(entry, time));
}

/**
 * Selects the ledger entries for a target whose last day, `until`, has passed.
 * @param target value of `TARGET_NAME`
 * @param time ISO 8601 time, or a day such as `2026-01-31`
 */
export function selectExpiredEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => isForTarget(entry, target) && isExpired(entry, time));
}

const isForTarget = (entry: LedgerEntry, target: string) => {
  const isForEveryTarget = !entry.target;
  return isForEveryTarget || entry.target === target;
};

const isExpired = ({ until }: LedgerEntry, time: string) => {
  const day = time.slice(0, 10);
  return until !== undefined && day > until;
};

/** Violation that a ledger entry may tolerate. */
interface ViolationDetails {
  requirement: RequirementAddress;
  /** Received value; undefined if the field is missing, or if the violation is not about a value. */
  value: unknown;
  /** Text that reports show instead of `value`, such as "a field named p_user_id in its place". */
  actual?: string;
  /** If a field is missing, the object in which it is missing. */
  parent?: Record<string, unknown>;
}

/** Finds the first ledger entry that tolerates a violation; undefined if no entry does. */
export const findToleratingEntry = (
  violation: ViolationDetails,
  entries: LedgerEntry[],
): LedgerEntry | undefined =>
  entries.find((entry) => entry.requirement === violation.requirement && acceptsViolation(entry, violation));

/**
 * Returns whether a ledger entry for the violated requirement accepts what was received. An entry accepts one of: a value that
 * conforms to `accepts.schema`; a missing field (`accepts.missing`); or, in place of the missing field, a field with the name
 * `accepts.name` and a value that is valid for the missing one.
 */
function acceptsViolation(
  { accepts, fieldSchema }: LedgerEntry,
  { value, actual, parent }: ViolationDetails,
): boolean {
  if ('schema' in accepts) return isValid(compileValidator(accepts.schema), value);
  if (value !== undefined) return false;
  // With `actual`, the violation is another one than a missing field, such as a field with another name.
  if ('missing' in accepts) return actual === undefined;
  return fieldSchema !== undefined && hasValidValue(parent, accepts.name, fieldSchema);
}

export function hasValidValue(
  parent: Record<string, unknown> | undefined,
  name: string,
  schema: Schema,
): boolean {
  const value = getOwnValue(parent, name);
  return value !== undefined && isValid(compileValidator(schema), value);
}
