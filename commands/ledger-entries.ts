import { isDeepStrictEqual } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { type Document, isCollection, isMap, isSeq, parseDocument } from 'yaml';
import type { Conformance } from '../reports/conformance.ts';
import type { Contract } from '../schemas/contract/contract.ts';
import { type Entry, type EntryPlace, readLedger } from '../schemas/contract/ledger.ts';
import { requirementsOf } from '../schemas/contract/requirements.ts';
import type { Finding } from '../src/redact/observation.ts';
import type { Received, ReceivedSchema } from '../src/redact/received.ts';
import { brokenOnlyNote } from '../src/verdict/evaluate.ts';

/** What shall be tolerated, why, and until when. */
export type Order = Pick<Entry, 'requirement' | 'because' | 'link' | 'until'>;

/** An entry to write, but for what it accepts. */
interface NewEntry extends Order {
  target: string;
  /** Whether the run has swept what it is about. */
  swept: boolean;
}

/** What an entry has to accept: a schema for the value, or that there is none. */
type Accepts =
  | { schema: ReceivedSchema | { enum: unknown[] } | { anyOf: ReceivedSchema[] } }
  | { missing: true };

/** A ledger as it was read, and how messages call it. */
interface Ledger {
  text: string;
  name: string;
}

/**
 * The text of a ledger with the narrowest entries that cover what a run found at a requirement, behind all others.
 * Comments and order stay as they are.
 * @param ledger as it was read, without mistakes
 * @throws an error for people when the run cannot say, an entry has no form for what it found, or all is accepted already.
 */
export function withAccepted(ledger: Ledger, contract: Contract, run: Conformance, order: Order): string {
  assertKnown(contract, order.requirement);
  assertWholeRun(contract, run);
  const forms = formsOf(violationsOf(run, order.requirement).map(receivedIn));
  const { swept, reason } = run.requirements.find(({ address }) => address === order.requirement) ?? {};
  const own = {
    ...order,
    target: run.target,
    swept: Boolean(swept) || reason === brokenOnlyNote,
  };
  const fresh = freshForms(forms, ledger, contract, own);
  const document: Document = parseDocument(ledger.text);
  if (!isSeq(document.contents)) document.contents = document.createNode([]);
  // An empty list may have been written as [].
  if (isSeq(document.contents)) document.contents.flow = false;
  for (const accepts of fresh) document.add(entryNode(document, accepts, own));
  return document.toString({ lineWidth: 0 }).trimStart();
}

/** What a run found: each violated requirement, with what is wrong. */
export function acceptable(contract: Contract, run: Conformance): { address: string; says: string }[] {
  assertWholeRun(contract, run);
  const violated = run.requirements.filter(({ verdict }) => verdict === 'violation');
  return violated.map(({ address }) => {
    const found = violationsOf(run, address).map(({ actual }) => actual);
    return { address, says: [...new Set(found)].join('; ') };
  });
}

/** The entries that a run found stale. */
export function staleEntries(contract: Contract, run: Conformance): StaleEntry[] {
  assertWholeRun(contract, run);
  return run.findings.flatMap(({ kind, requirement, ledger }) =>
    kind === 'stale' && ledger ? [{ requirement, ...ledger }] : [],
  );
}

type StaleEntry = EntryPlace & { requirement: string };

/**
 * The text of a ledger without some of its entries, and without the comments right above them; all else stays as it is.
 * @throws an error for people where the run was of another text, or an entry is not written on lines of its own.
 */
export function without({ text, name }: Ledger, contract: Contract, stale: StaleEntry[]): string {
  const entries = readLedger(text, contract, name);
  const isStale = (one: Entry) =>
    stale.some(({ requirement, line }) => one.line === line && one.requirement === requirement);
  if (entries.filter(isStale).length < stale.length)
    throw new Error(`${name} has changed since the last run: run again, and remove then`);
  const lines = text.split('\n');
  const starts = entries.map(({ line }) => startOf(lines, line - 1));
  const kept = entries.map((one, index) =>
    isStale(one) ? [] : lines.slice(starts[index], starts[index + 1] ?? lines.length),
  );
  const after = [...lines.slice(0, starts[0]), ...kept.flat()].join('\n').replace(/\n*$/, '\n');
  if (readLedger(after, contract, name).length === entries.length - stale.length) return after;
  throw new Error(`${name} has entries that share a line: remove them by hand`);
}

/** The line, from 0, on which an entry begins with the comment right above it; the head of the file is none. */
function startOf(lines: string[], entry: number): number {
  const above = lines.slice(0, entry).findLastIndex((line) => !line.trimStart().startsWith('#'));
  return above < 0 ? entry : above + 1;
}

function assertKnown(contract: Contract, address: string): void {
  const known = requirementsOf(contract).map((one) => one.address);
  if (known.includes(address)) return;
  throw new Error(`there is no requirement ${address}; near is ${closest(address, known)}`);
}

function assertWholeRun({ hash }: Contract, { selection, shard, contract, profile }: Conformance): void {
  const reason =
    (shard && 'is a shard: merge all of them, and accept what the whole found') ||
    (selection && 'judged only a part of the requirements: run without --grep, and accept then') ||
    (hash !== contract && `judged another contract (${contract}, and this is ${hash}): run again first`) ||
    (profile === 'documented' && 'was of PROFILE=documented, which tolerates nothing: run with observed');
  if (reason) throw new Error(`the last run ${reason}`);
}

function violationsOf({ requirements, findings }: Conformance, address: string): Finding[] {
  const verdict = requirements.find((one) => one.address === address)?.verdict;
  const state = verdict ? `its verdict is ${verdict}, and there is nothing to accept` : 'it was not judged';
  if (verdict !== 'violation') throw new Error(`${address} is not violated in the last run: ${state}`);
  return findings.filter((one) => one.requirement === address && one.kind === 'violation');
}

function receivedIn({ received, requirement, actual, pointer }: Finding): Received {
  if (received) return received;
  throw new Error(
    `${requirement}: an entry of a ledger has no form that would accept this and nothing else: ${actual}, at ${pointer || 'the body'}`,
  );
}

/** What is missing and what is there take an entry each; values that may be shown become one list. */
function formsOf(received: Received[]): Accepts[] {
  const unique = [...new Map(received.map((one) => [JSON.stringify(one), one])).values()];
  const schemas = unique.flatMap((one) => ('schema' in one ? one.schema : []));
  return [
    ...(schemas.length < unique.length ? [{ missing: true } as const] : []),
    ...(schemas.length > 0 ? [{ schema: joined(schemas) }] : []),
  ];
}

function joined(schemas: ReceivedSchema[]) {
  const [first, ...others] = schemas;
  if (first && others.length === 0) return first;
  const values = schemas.map((schema) => schema.const);
  return values.every((value) => value !== undefined) ? { enum: values } : { anyOf: schemas };
}

/** The forms that no entry for the target has yet. @throws an error for people naming the entries, when they have all of them. */
function freshForms(forms: Accepts[], ledger: Ledger, contract: Contract, order: NewEntry): Accepts[] {
  const { requirement, target } = order;
  const own = readLedger(ledger.text, contract, ledger.name).filter(
    (one) => one.requirement === requirement && (one.target ?? target) === target,
  );
  const isKnown = (form: Accepts) => own.some(({ accepts }) => isDeepStrictEqual(accepts, form));
  const fresh = forms.filter((form) => !isKnown(form));
  if (fresh.length > 0) return fresh;
  const same = own.filter(({ accepts }) => forms.some((form) => isDeepStrictEqual(accepts, form)));
  const places = same.map(({ line }) => `line ${line}`).join(' and ');
  throw new Error(
    `${ledger.name} accepts ${requirement} already, in ${places}: run again to see it tolerated, or change that entry`,
  );
}

/** An entry as those before it are written: behind a blank line, what it accepts on one line. */
function entryNode(document: Document, accepts: Accepts, order: NewEntry) {
  const { requirement, because, link, target, until, swept } = order;
  const optional = { ...(until === undefined ? {} : { until }), ...(swept ? { swept } : {}) };
  const entry = { requirement, accepts, because, link, target, ...optional };
  const node = document.createNode(entry);
  const form: unknown = isMap(node) ? node.get('accepts') : undefined;
  node.spaceBefore = true;
  if (isCollection(form)) form.flow = true;
  return node;
}
