import { getOwnValue } from '../json.ts';
import { checkFileSchema, createContractError, parseSpecFile, type SpecFile } from './files.ts';
import { checkSchema } from './openapi.ts';
import { isDeclaredFieldsRule, listRequirements, type Requirement } from './requirements.ts';
import type { Contract, LedgerEntry, LedgerLocation, RequirementAddress, Schema } from './types.ts';
import { compileValidator, isValid } from './validators.ts';

export type { LedgerEntry, LedgerLocation } from './types.ts';

export const formatLedgerLocation = ({ file = ownLedger, line }: LedgerLocation): string =>
  `${file}, line ${line}`;

const ownLedger = 'spec/ledger.yaml';

type WrittenEntry = Omit<LedgerEntry, 'line' | 'file' | 'fieldSchema'>;

/**
 * Parses a ledger, and checks its entries. A ledger is a YAML list of tolerated deviations.
 * @param text content of the file. An empty file is an empty list.
 * @param name path of the file in messages. The default is `spec/ledger.yaml`.
 * @throws {ContractError} with the line of the first mistake
 */
export function readLedger(
  text: string,
  contract: Pick<Contract, 'operations'>,
  name = ownLedger,
): LedgerEntry[] {
  const parsedFile = parseSpecFile(name, text);
  // An empty file has the value null.
  const file = { ...parsedFile, value: parsedFile.value ?? [] };
  checkFileSchema(file, 'ledger');
  const requirements = listRequirements(contract);
  const writtenEntries = file.value as WrittenEntry[];
  return writtenEntries.map((writtenEntry, index) => {
    const requirement = checkEntry(file, index, writtenEntry, requirements);
    const entry: LedgerEntry = { ...writtenEntry, line: file.getLine([index]) };
    if (name !== ownLedger) entry.file = name;
    if (requirement.kind === 'node') entry.fieldSchema = requirement.node.schema;
    return entry;
  });
}

function checkEntry(
  file: SpecFile,
  index: number,
  entry: WrittenEntry,
  requirements: Requirement[],
): Requirement {
  const createEntryError = (message: string) => createContractError(file, [index, 'requirement'], message);
  if (!entry.source && !entry.link) throw createEntryError('an entry needs a source or a link; add one');
  const requirement = requirements.find(({ address }) => address === entry.requirement);
  if (!requirement)
    throw createEntryError(
      `unknown requirement ${entry.requirement}; \`npm run requirements\` lists those that exist`,
    );
  const alternative = suggestInsteadOfEntry(requirement);
  if (alternative) throw createEntryError(`${entry.requirement} cannot be tolerated here; ${alternative}`);
  if ('schema' in entry.accepts) checkSchema(file, [index, 'accepts', 'schema'], entry.accepts.schema);
  return requirement;
}

/**
 * Suggests what to do instead of a ledger entry: "leave `undeclared` out of FAIL_ON". Some requirements, such as those of
 * parameters, must not have an entry. Returns undefined for a requirement that may have one.
 */
export function suggestInsteadOfEntry(requirement: Requirement): string | undefined {
  // A rejected parameter is reported as a violation of `http/status`, which an entry can tolerate.
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  if (isDeclaredFieldsRule(requirement)) return 'leave `undeclared` out of FAIL_ON';
  return undefined;
}

/**
 * Selects the ledger entries that apply to a target and have not expired. An entry without `target` applies to every target.
 * @param target value of `TARGET_NAME`
 * @param time ISO 8601 time or day
 */
export function selectEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => isForTarget(entry, target) && !isExpired(entry, time));
}

/** Selects the ledger entries that apply to a target, but have expired. An entry expires after the day in its `until`. */
export function selectExpiredEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => isForTarget(entry, target) && isExpired(entry, time));
}

export const isForTarget = (entry: LedgerEntry, target: string) => !entry.target || entry.target === target;

function isExpired({ until: lastDay }: LedgerEntry, time: string): boolean {
  const day = time.slice(0, 10);
  return lastDay !== undefined && day > lastDay;
}

/** Facts about a violation. They decide whether a ledger entry tolerates the violation. */
export interface ViolationDetails {
  requirement: RequirementAddress;
  /**
   * Received value that breaks the requirement. Undefined if a field is missing, or has another name. Also undefined if the
   * violation has only a description: for a duplicate key, `actual` is "the same key twice".
   */
  value: unknown;
  /** Text for reports, such as "HTTP 404". By default, reports describe `value`. */
  actual?: string;
  /** Object in which a declared field is missing, or has another name. Undefined for any other violation. */
  parent?: Record<string, unknown>;
}

export const findToleratingEntry = (
  violation: ViolationDetails,
  entries: LedgerEntry[],
): LedgerEntry | undefined =>
  entries.find((entry) => entry.requirement === violation.requirement && acceptsViolation(entry, violation));

/**
 * Returns whether a ledger entry accepts a violation of its requirement. `accepts: { missing: true }` accepts a missing field.
 * `accepts: { schema }` accepts a value that conforms to the schema. `accepts: { name: 'p_user_id' }` accepts a field under this
 * name if its value is valid.
 */
export function acceptsViolation(
  { accepts, fieldSchema }: LedgerEntry,
  { value, actual, parent }: ViolationDetails,
): boolean {
  const hasValue = value !== undefined;
  if ('schema' in accepts) return hasValue && isValid(compileValidator(accepts.schema), value);
  // `missing` and `name` accept only a violation without a value: the field is missing, or has another name.
  if (hasValue) return false;
  // For a missing field, `actual` is undefined. A field under another name has a description in `actual`.
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
