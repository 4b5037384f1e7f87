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

/** Ledger entry as written in the YAML file, before the suite adds keys. */
type WrittenEntry = Omit<LedgerEntry, 'line' | 'file' | 'fieldSchema'>;

/** Parses and checks a ledger, which may be empty. @throws {ContractError} with the line of the first mistake. */
export function readLedger(
  text: string,
  contract: Pick<Contract, 'operations'>,
  name = ownLedger,
): LedgerEntry[] {
  const specFile = parseSpecFile(name, text);
  const file = { ...specFile, value: specFile.value ?? [] };
  checkFileSchema(file, 'ledger');
  const requirements = listRequirements(contract);
  const entries = file.value as WrittenEntry[];
  return entries.map((entry, index) => {
    const requirement = checkEntry(file, index, entry, requirements);
    const location = { line: file.getLine([index]), ...(name !== ownLedger && { file: name }) };
    const schemaOfField = requirement.kind === 'node' ? { fieldSchema: requirement.node.schema } : {};
    return { ...entry, ...location, ...schemaOfField };
  });
}

/**
 * Checks a ledger entry, and returns the requirement that it names.
 * @throws {ContractError} if the requirement does not exist or cannot be tolerated, or if the entry has neither source nor link
 */
function checkEntry(file: SpecFile, index: number, entry: WrittenEntry, requirements: Requirement[]) {
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

/** Returns advice if no ledger entry can tolerate violations of the requirement. Undefined if entries can tolerate them. */
export function suggestInsteadOfEntry(requirement: Requirement): string | undefined {
  // A rejected parameter is reported as a violation of `http/status`, which an entry can tolerate.
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  return isDeclaredFieldsRule(requirement) ? 'leave `undeclared` out of FAIL_ON' : undefined;
}

/** Selects the entries that apply to a target (`TARGET_NAME`) at `time`: an ISO 8601 time, or a day such as `2026-01-31`. */
export function selectEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => isForTarget(entry, target) && !isExpired(entry, time));
}

/** Selects the entries for a target whose day `until` is before `time`: an ISO 8601 time, or a day such as `2026-01-31`. */
export function selectExpiredEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => isForTarget(entry, target) && isExpired(entry, time));
}

/** Returns whether a ledger entry applies to a target: an entry without `target` applies to every one. */
export const isForTarget = (entry: LedgerEntry, target: string) => !entry.target || entry.target === target;

const isExpired = ({ until }: LedgerEntry, time: string) => {
  const day = time.slice(0, 10);
  return until !== undefined && day > until;
};

/** Requirement that a response breaks, and the received content that a ledger entry may accept. */
export interface ViolationDetails {
  requirement: RequirementAddress;
  /** Received value; undefined if the field is missing, or if the violation is not about a value. */
  value: unknown;
  /** Description of what was received, such as "HTTP 404". Default: a description of `value`. */
  actual?: string;
  /** Object in which a field is missing. */
  parent?: Record<string, unknown>;
}

export const findToleratingEntry = (
  violation: ViolationDetails,
  entries: LedgerEntry[],
): LedgerEntry | undefined =>
  entries.find((entry) => entry.requirement === violation.requirement && acceptsViolation(entry, violation));

/** Returns whether `accepts` of an entry covers a violation: value fits `schema`, field `missing`, or valid field named `name`. */
export function acceptsViolation(
  { accepts, fieldSchema }: LedgerEntry,
  { value, actual, parent }: ViolationDetails,
): boolean {
  if ('schema' in accepts) return isValid(compileValidator(accepts.schema), value);
  if (value !== undefined) return false;
  // Without a value, `actual` describes a violation of another kind, such as a field with another name.
  const isMissingField = actual === undefined;
  if ('missing' in accepts) return isMissingField;
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
