import { valueAt } from '../json/read.ts';
import type { Violation } from '../judge/judgement.ts';
import { sibling } from './check-validation.ts';
import type { Contract, Schema } from './contract.ts';
import { isOptional, type Requirement, requirementsOf } from './requirements.ts';
import { checkSchema } from './schema-check.ts';
import { checkShape, closed, text } from './shape.ts';
import { errorsOf, validatorOf } from './validators.ts';
import { mistakeAt, readYaml, type YamlFile } from './yaml.ts';

/** One tolerated deviation; see the head of `spec/ledger.yaml`. */
export interface Entry {
  requirement: string;
  accepts: { schema: Schema } | { name: string } | { missing: true };
  because: string;
  source?: string;
  link?: string;
  target?: string;
  /** Last day of toleration, YYYY-MM-DD. */
  until?: string;
  /** Line in `spec/ledger.yaml`. */
  line: number;
  /** Schema of the field that may have another name. */
  node?: Schema;
}

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
  }),
};

/**
 * Reads `ledger.yaml`; it may be empty. @throws {ContractError} with the line of the first wrong entry.
 */
export function readLedger(content: string, contract: Pick<Contract, 'operations'>): Entry[] {
  const read = readYaml('ledger.yaml', content);
  const file = { ...read, value: read.value ?? [] };
  checkShape(file, shape);
  const requirements = new Map(requirementsOf(contract).map((one) => [one.address, one]));
  const entries = file.value as Omit<Entry, 'line' | 'node'>[];
  return entries.map((entry, index) => checkedEntry(file, index, entry, requirements.get(entry.requirement)));
}

function checkedEntry(
  file: YamlFile,
  index: number,
  entry: Omit<Entry, 'line' | 'node'>,
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
  return { ...entry, line: file.lines[index] ?? 1, ...(node ? { node } : {}) };
}

/** What tolerates a requirement that an entry would never match. */
function insteadOf(requirement: Requirement): string | undefined {
  if (requirement.kind === 'parameter')
    return 'name the http/status of the operation, and accept the status of the error response';
  return isOptional(requirement) ? 'leave UNDECLARED_FIELDS at report' : undefined;
}

/** Names that entries accept in place of those of an operation's fields. */
export const otherNamesFor = ({ id }: { id: string }, ledger: Entry[]): string[] =>
  ledger.flatMap(({ requirement, accepts }) =>
    'name' in accepts && requirement.startsWith(`${id}/`) ? [accepts.name] : [],
  );

/** Entries in force for a target on a day. */
export function entriesFor(ledger: Entry[], target: string, today: string): Entry[] {
  return ledger.filter((entry) => isFor(entry, target) && !isPast(entry, today));
}

/** Entries for a target that tolerate no longer. */
export function expiredFor(ledger: Entry[], target: string, today: string): Entry[] {
  return ledger.filter((entry) => isFor(entry, target) && isPast(entry, today));
}

const isFor = (entry: Entry, target: string) => !entry.target || entry.target === target;
const isPast = ({ until }: Entry, today: string) => until !== undefined && today > until;

/** The entry that tolerates a violation, if there is one. `body` is the answer that holds it. */
export function toleration(violation: Violation, entries: Entry[], body: unknown): Entry | undefined {
  return entries.find(
    (entry) => entry.requirement === violation.requirement && accepts(entry, violation, body),
  );
}

function accepts({ accepts, line, node }: Entry, violation: Violation, body: unknown): boolean {
  if ('schema' in accepts)
    return (
      errorsOf(validatorOf(accepts.schema, `spec/ledger.yaml, line ${line}`), violation.value).length === 0
    );
  if ('missing' in accepts) return violation.value === undefined && violation.actual === undefined;
  const other = sibling(violation.pointer, accepts.name);
  const value = valueAt(body, other);
  return (
    violation.value === undefined &&
    value !== undefined &&
    !!node &&
    errorsOf(validatorOf(node, other), value).length === 0
  );
}
