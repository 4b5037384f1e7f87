import { ownValue } from '../json.ts';
import { checkShape, closed, mistakeAt, readFile, type SpecFile, text } from './files.ts';
import { checkSchema } from './openapi.ts';
import { isOptional, type Requirement, requirementsOf } from './requirements.ts';
import type { Contract, Entry, EntryPlace } from './types.ts';
import { isValid, validatorOf } from './validators.ts';

export type { Entry, EntryPlace } from './types.ts';

/** Where an entry stands, for people. */
export const entryPlace = ({ file = ownLedger, line }: EntryPlace): string => `${file}, line ${line}`;

const ownLedger = 'spec/ledger.yaml';

const accepted = closed({
  'schema?': { type: 'object', title: 'a JSON Schema' },
  'name?': text,
  'missing?': { const: true, title: 'true' },
});

const shape = {
  type: 'array',
  title: 'a list of entries',
  items: closed({
    requirement: text,
    accepts: { ...accepted, minProperties: 1, maxProperties: 1 },
    because: text,
    'source?': text,
    'link?': text,
    'target?': text,
    'until?': { type: 'string', format: 'date', title: 'a day that exists, as YYYY-MM-DD' },
    'swept?': { const: true, title: 'true' },
  }),
};

/** Reads a text of `ledger.yaml`; it may be empty. @throws {ContractError} with the line of the first wrong entry. */
export function readLedger(
  content: string,
  contract: Pick<Contract, 'operations'>,
  name = ownLedger,
): Entry[] {
  const read = readFile(name, content);
  const file = { ...read, value: read.value ?? [] };
  checkShape(file, shape);
  const requirements = new Map(requirementsOf(contract).map((one) => [one.address, one]));
  const entries = file.value as Omit<Entry, 'line' | 'file' | 'node'>[];
  return entries.map((entry, index) => checkedEntry(file, index, entry, requirements.get(entry.requirement)));
}

function checkedEntry(
  file: SpecFile,
  index: number,
  entry: Omit<Entry, 'line' | 'file' | 'node'>,
  requirement: Requirement | undefined,
): Entry {
  const fail = (key: string, says: string) => mistakeAt(file, [index, key], says);
  if (!entry.source && !entry.link) throw fail('requirement', 'an entry needs a source or a link; add one');
  if (!requirement)
    throw fail(
      'requirement',
      `unknown requirement ${entry.requirement}; \`npm run requirements\` lists those that exist`,
    );
  const instead = insteadOf(requirement);
  if (instead) throw fail('requirement', `${entry.requirement} cannot be tolerated here; ${instead}`);
  if ('schema' in entry.accepts) checkSchema(file, [index, 'accepts', 'schema'], entry.accepts.schema);
  const node = requirement.kind === 'node' ? requirement.node.schema : undefined;
  const place = {
    line: file.lineOf([index]),
    ...(file.name === ownLedger ? {} : { file: file.name }),
  };
  return { ...entry, ...place, ...(node ? { node } : {}) };
}

/** What tolerates a requirement that an entry would never match. */
function insteadOf(requirement: Requirement): string | undefined {
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  return isOptional(requirement) ? 'leave `undeclared` out of FAIL_ON' : undefined;
}

/** Entries in force for a target at a time, or on a day. */
export function entriesFor(ledger: Entry[], target: string, at: string): Entry[] {
  return ledger.filter((entry) => isFor(entry, target) && !isPast(entry, at));
}

/** Entries for a target that tolerate no longer. */
export function expiredFor(ledger: Entry[], target: string, at: string): Entry[] {
  return ledger.filter((entry) => isFor(entry, target) && isPast(entry, at));
}

const isFor = (entry: Entry, target: string) => !entry.target || entry.target === target;
const isPast = ({ until }: Entry, at: string) => until !== undefined && at.slice(0, 10) > until;

/** What a response has at a place that breaks a requirement. */
interface Deviation {
  requirement: string;
  /** Value as received; undefined if it is missing. */
  value: unknown;
  /** Description in place of the value. */
  actual?: string;
  /** Object that lacks the value. */
  parent?: Record<string, unknown>;
}

/** The entry that tolerates a violation, if there is one. */
export const toleration = (violation: Deviation, entries: Entry[]): Entry | undefined =>
  entries.find((entry) => entry.requirement === violation.requirement && accepts(entry, violation));

function accepts({ accepts, node }: Entry, { value, actual, parent }: Deviation): boolean {
  if ('schema' in accepts) return isValid(validatorOf(accepts.schema), value);
  if ('missing' in accepts) return value === undefined && actual === undefined;
  const other = ownValue(parent, accepts.name);
  return value === undefined && other !== undefined && !!node && isValid(validatorOf(node), other);
}
