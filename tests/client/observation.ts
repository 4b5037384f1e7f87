import { distance } from 'fastest-levenshtein';
import type { Operation } from '../../schemas/contract.ts';
import { valueAt } from '../../schemas/json.ts';
import type { Judgement, Violation } from '../../schemas/judgement.ts';
import { type Entry, toleration } from '../../schemas/ledger.ts';
import { pattern } from '../../schemas/nodes.ts';
import { schemaAt } from '../../schemas/violations.ts';
import type { Visits } from '../../schemas/visits.ts';
import { describeMediaType, describeValue, redactPointer } from './redaction.ts';

/** One thing that was found, free of anything personal or secret. */
export interface Finding {
  kind:
    | 'violation'
    | 'deviation'
    | 'blocked'
    | 'undeclared'
    | 'stale'
    | 'coverage'
    | 'server error'
    | 'drift'
    | 'error';
  requirement: string;
  operation: string;
  /** JSON Pointer into the body, `http` or `request`. */
  pointer: string;
  expected: string;
  actual: string;
  /** The request, with identifiers replaced by where they come from. */
  exchange: string;
  because?: string;
  /** A shell command that repeats the request. */
  repeat?: string;
}

/** A request, told without its identifiers. */
export interface Request {
  operation: string;
  /** Parameter names and what may be shown of their values. */
  parameters: Record<string, string>;
  /** Whether an identifier in it was configured, rather than found in an answer. */
  configured: boolean;
  exchange: string;
  repeat: string;
}

/** A redacted, judged exchange: all that is kept of it. */
export interface Observation extends Request {
  status?: number;
  blocked?: string;
  bytes?: number;
  /** How long the last attempt took, and how often the request was repeated. */
  durationMs?: number;
  repeated?: number;
  /** Whether the contract promises a success. */
  documented: boolean;
  visits: Visits;
  states: Visits;
  findings: Finding[];
  /** Lines of ledger entries that tolerated something. */
  tolerated: number[];
}

/** Turns a judgement into what may be kept of it; the single point at which values are redacted. */
export function observe(
  operation: Operation,
  request: Request,
  judgement: Judgement,
  entries: Entry[],
): Omit<Observation, 'documented'> {
  const { visits, states, violations, body } = judgement;
  const judged = violations.map((violation) => ({ violation, entry: toleration(violation, entries, body) }));
  const findings = judged.map(({ violation, entry }) => finding(operation, request, violation, entry));
  const renamed = judged.flatMap(({ violation, entry }) =>
    entry && 'name' in entry.accepts ? [siblingOf(violation.pointer, entry.accepts.name)] : [],
  );
  const strangers = judgement.undeclared.filter((pointer) => !renamed.includes(pointer));
  return {
    ...request,
    ...(judgement.blocked ? { blocked: judgement.blocked } : {}),
    visits,
    states,
    findings: [...findings, ...strangers.map((pointer) => undeclared(operation, request, pointer, body))],
    tolerated: judged.flatMap(({ entry }) => entry?.line ?? []),
  };
}

const siblingOf = (pointer: string, name: string) => `${pointer.slice(0, pointer.lastIndexOf('/'))}/${name}`;

function finding(operation: Operation, request: Request, violation: Violation, entry?: Entry): Finding {
  const { requirement, pointer, expected, value, actual } = violation;
  const schema = pointer.startsWith('/') ? schemaAt(operation, pointer) : undefined;
  const shown = requirement.endsWith('/http/content-type')
    ? describeMediaType(value)
    : describeValue(value, schema);
  return {
    kind: entry ? 'deviation' : 'violation',
    requirement,
    operation: operation.id,
    pointer: redactPointer(operation, pointer),
    expected,
    actual: actual ?? shown,
    exchange: request.exchange,
    ...(entry ? { because: entry.because } : {}),
    repeat: request.repeat,
  };
}

function undeclared(operation: Operation, request: Request, pointer: string, body: unknown): Finding {
  const hint = suggestion(operation, pointer, body);
  return {
    kind: 'undeclared',
    requirement: `${operation.id}/rules/declared-fields`,
    operation: operation.id,
    pointer: redactPointer(operation, pointer),
    expected: hint ? `only declared fields; did you mean \`${hint}\`?` : 'only declared fields',
    actual: describeType(valueAt(body, pointer)),
    exchange: request.exchange,
    repeat: request.repeat,
  };
}

const describeType = (value: unknown) =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;

/** An absent declared field whose name is close to that of an undeclared one. */
function suggestion(operation: Operation, pointer: string, body: unknown): string | undefined {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  const name = plain(pointer.slice(parent.length + 1));
  const fields = Object.keys(schemaAt(operation, pattern(parent))?.properties ?? {});
  const absent = fields.filter((field) => valueAt(body, `${parent}/${field}`) === undefined);
  return absent.find((field) => close(plain(field), name));
}

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, '');
const close = (one: string, other: string) => distance(one, other) <= Math.max(1, Math.floor(one.length / 4));
