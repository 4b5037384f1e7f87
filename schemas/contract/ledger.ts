import { ownValue } from '../json.ts';
import { checkShape, createContractError, readFile, type SpecFile } from './files.ts';
import { checkSchema } from './openapi.ts';
import { isOptional, listRequirements, type Requirement } from './requirements.ts';
import type { Contract, EntryPlace, LedgerEntry } from './types.ts';
import { compileValidator, isValid } from './validators.ts';

export type { EntryPlace, LedgerEntry } from './types.ts';

/** Formats the file and line of an entry. */
export const formatEntryPlace = ({ file = ownLedger, line }: EntryPlace): string => `${file}, line ${line}`;

const ownLedger = 'spec/ledger.yaml';

/** Parses a ledger; it may be empty. @throws {ContractError} with the line of the first wrong entry. */
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

/** Suggests how to tolerate a requirement that a ledger entry can never match; undefined if an entry can. */
function suggestAlternative(requirement: Requirement): string | undefined {
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  return isOptional(requirement) ? 'leave `undeclared` out of FAIL_ON' : undefined;
}

/** Selects the entries in force for a target, at a time (ISO 8601) or on a day. */
export function selectEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => appliesTo(entry, target) && !isExpired(entry, time));
}

/** Selects the entries for a target that have expired. */
export function selectExpiredEntries(ledger: LedgerEntry[], target: string, time: string): LedgerEntry[] {
  return ledger.filter((entry) => appliesTo(entry, target) && isExpired(entry, time));
}

const appliesTo = (entry: LedgerEntry, target: string) => !entry.target || entry.target === target;
const isExpired = ({ until }: LedgerEntry, time: string) => until !== undefined && time.slice(0, 10) > until;

/** Deviating value of a response. */
interface Deviation {
  requirement: string;
  /** Value as received; undefined if it is missing. */
  value: unknown;
  /** Description in place of the value. */
  actual?: string;
  /** Object that lacks the value. */
  parent?: Record<string, unknown>;
}

/** Finds the ledger entry that accepts a violation, if any. */
export const findToleration = (violation: Deviation, entries: LedgerEntry[]): LedgerEntry | undefined =>
  entries.find((entry) => entry.requirement === violation.requirement && acceptsViolation(entry, violation));

function acceptsViolation({ accepts, node }: LedgerEntry, { value, actual, parent }: Deviation): boolean {
  if ('schema' in accepts) return isValid(compileValidator(accepts.schema), value);
  if ('missing' in accepts) return value === undefined && actual === undefined;
  const valueOfOtherName = ownValue(parent, accepts.name);
  return (
    value === undefined &&
    valueOfOtherName !== undefined &&
    !!node &&
    isValid(compileValidator(node), valueOfOtherName)
  );
}
