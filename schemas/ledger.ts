import { ContractError, loadContract, readSpec, type Schema } from './contract.ts';
import { valueAt } from './json.ts';
import type { Violation } from './judgement.ts';
import { nodesOf } from './nodes.ts';
import { type Requirement, requirementsOf } from './requirements.ts';
import { validatorOf } from './validators.ts';
import { parseItems } from './yaml.ts';

/** One tolerated deviation; see the head of `spec/ledger.yaml`. */
export interface Entry {
  requirement: string;
  accepts: { schema: Schema } | { name: string };
  because: string;
  source?: string;
  link?: string;
  target?: string;
  /** Last day of toleration, YYYY-MM-DD. */
  until?: string;
  /** Line in `spec/ledger.yaml`. */
  line: number;
}

const shape = {
  type: 'object',
  required: ['requirement', 'accepts', 'because'],
  additionalProperties: false,
  properties: {
    requirement: { type: 'string' },
    accepts: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      properties: { schema: { type: 'object' }, name: { type: 'string' } },
    },
    because: { type: 'string', minLength: 1 },
    source: { type: 'string' },
    link: { type: 'string' },
    target: { type: 'string' },
    until: { type: 'string', format: 'date' },
  },
} as unknown as Schema;

/** The ledger in `spec/ledger.yaml`. @throws {ContractError} naming the line of a wrong entry. */
export function loadLedger(text = readSpec('ledger.yaml')): Entry[] {
  const requirements = requirementsOf();
  return parseItems('ledger.yaml', text).map(({ words, line }) => checked(words, line, requirements));
}

function checked(words: unknown, line: number, requirements: Requirement[]): Entry {
  const place = `spec/ledger.yaml, line ${line}`;
  const validate = validatorOf(shape, place);
  if (!validate(words)) {
    const [error] = validate.errors ?? [];
    const stranger = error?.params.additionalProperty;
    const reason = stranger ? `has the unknown key ${stranger}` : error?.message;
    throw new ContractError(`${place}: entry${error?.instancePath} ${reason}`);
  }
  const entry = { ...(words as Omit<Entry, 'line'>), line };
  if (!entry.source && !entry.link) throw new ContractError(`${place}: an entry needs a source or a link`);
  if (!requirements.some(({ address }) => address === entry.requirement))
    throw new ContractError(`${place}: unknown requirement ${entry.requirement}`);
  const [, instead] = otherwise.find(([part]) => entry.requirement.includes(part)) ?? [];
  if (instead) throw new ContractError(`${place}: ${entry.requirement} cannot be tolerated here: ${instead}`);
  if ('schema' in entry.accepts) validatorOf(entry.accepts.schema, place);
  return entry;
}

/** Requirements that an entry would never match, and what tolerates them. */
const otherwise = [
  ['/parameters/', 'name the http/status of the operation, and accept the status of the refusal'],
  ['/rules/declared-fields', 'leave UNDECLARED_FIELDS at report'],
] as const;

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

function accepts({ accepts, requirement, line }: Entry, violation: Violation, body: unknown): boolean {
  if ('schema' in accepts)
    return validatorOf(accepts.schema, `spec/ledger.yaml, line ${line}`)(violation.value);
  const other = `${violation.pointer.slice(0, violation.pointer.lastIndexOf('/'))}/${accepts.name}`;
  const schema = schemaOf(requirement);
  const value = valueAt(body, other);
  return (
    violation.value === undefined && value !== undefined && !!schema && validatorOf(schema, other)(value)
  );
}

let schemas: Map<string, Schema> | undefined;

/** Asked once for each violation, of which one answer may have millions. */
function schemaOf(requirement: string): Schema | undefined {
  schemas ??= new Map(
    loadContract()
      .operations.flatMap(nodesOf)
      .map(({ operation, pointer, schema }) => [operation + pointer, schema]),
  );
  return schemas.get(requirement);
}
