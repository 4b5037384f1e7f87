import { pattern } from '../schemas/contract/nodes.ts';
import { showsShape } from '../tests/redaction/describe-value.ts';
import type { Finding } from '../tests/redaction/observation.ts';
import { entryPlace } from '../tests/verdict/ledger-use.ts';
import type { Verdict } from '../tests/verdict/verdicts.ts';
import { type Conformance, found, type ReportedRequirement, withVerdict } from './conformance.ts';
import { extentOf, findingsOf } from './extent.ts';

/** A requirement that is broken or deviates: one entry, however many places show it. */
export interface BrokenEntry {
  address: string;
  statement: string;
  /** Where the contract says so: "contract section 2.4, MUST". */
  section: string;
  first: Finding;
  /** "in 16 of 226 places, in 3 of 12 requests". */
  extent: string;
  /** What else was found than at the first place. */
  elsewhere: string[];
  reason?: string;
}

/** The requirements of a verdict that findings speak of, one entry for each. */
export const entriesOf = (conformance: Conformance, verdict: 'violation' | 'deviation'): BrokenEntry[] =>
  withVerdict(conformance, verdict).flatMap((one) => entryOf(conformance, one) ?? []);

/** What is found of a requirement that is broken or deviates. */
export function entryOf(conformance: Conformance, result: ReportedRequirement): BrokenEntry | undefined {
  const [first, ...others] = findingsOf(conformance, result.address, result.verdict);
  if (!first) return undefined;
  const { address, statement, reason } = result;
  const section = `contract section ${result.source}, ${result.level}`;
  const elsewhere = [...new Set(others.map(({ actual }) => actual))].filter((text) => text !== first.actual);
  const entry = { address, statement, section, first, extent: extentOf(conformance, result), elsewhere };
  return reason ? { ...entry, reason } : entry;
}

/** The first texts of a list, and how many others there are. */
export function fewOf(texts: string[], shown: number): string {
  const more = texts.length > shown ? ` and ${texts.length - shown} more` : '';
  return texts.slice(0, shown).join(', ') + more;
}

/** "elsewhere got a number, null". */
export const elsewhereText = ({ elsewhere }: BrokenEntry): string =>
  elsewhere.length > 0 ? `elsewhere got ${fewOf(elsewhere, 3)}` : '';

/** The entry of the ledger that tolerates a deviation: "spec/ledger.yaml, line 30, until 2026-12-31". @param place of the entry */
export const ledgerText = ({ ledger }: Pick<Finding, 'ledger'>, place = entryPlace): string =>
  ledger
    ? [place(ledger), ledger.until && `until ${ledger.until}`, ledger.link].filter(Boolean).join(', ')
    : '';

/** Why a deviation is tolerated, and by which entry. */
export const toleratedText = (finding: Finding): string =>
  [finding.because ?? '', ledgerText(finding) && `(${ledgerText(finding)})`].filter(Boolean).join(' ');

/** A field that the contract does not name, wherever it was found. */
export interface UndeclaredField {
  operation: string;
  /** With every array index as `*`. */
  place: string;
  first: Finding;
  places: number;
}

/** Fields that the contract does not name, one entry for each. */
export function undeclaredFieldsOf(conformance: Conformance): UndeclaredField[] {
  const fields = new Map<string, UndeclaredField>();
  for (const first of found(conformance, 'undeclared')) {
    const { operation, pointer, places = 1 } = first;
    const place = pattern(pointer);
    const known = fields.get(`${operation} ${place}`);
    if (known) known.places += places;
    else fields.set(`${operation} ${place}`, { operation, place, first, places });
  }
  return [...fields.values()];
}

/** A verdict that says nothing of the target, and has a reason instead. */
export type Unjudged = Extract<Verdict, 'error' | 'blocked' | 'not exercised'>;

/** Requirements without a verdict on the target, by the reason for that. */
export function byReason(
  conformance: Conformance,
  verdict: Unjudged,
): [reason: string, addresses: string[]][] {
  const gathered = new Map<string, string[]>();
  for (const { address, reason = '' } of withVerdict(conformance, verdict))
    gathered.set(reason, [...(gathered.get(reason) ?? []), address]);
  return [...gathered];
}

/** A line for each reason. @param code marks an address, as Markdown does */
export const reasonLines = (
  conformance: Conformance,
  verdict: Unjudged,
  shown: number,
  code = (address: string) => address,
): string[] =>
  byReason(conformance, verdict).map(
    ([reason, addresses]) => `${reason}: ${fewOf(addresses.map(code), shown)}`,
  );

/** What the signs of a shape stand for, where a run shows one: it reads like a value otherwise. */
export const shapeNotes = ({ findings }: Conformance): string[] =>
  findings.some(({ actual }) => showsShape(actual))
    ? ['In a shape, A and a stand for a letter, 0 for a digit: it is not the value itself.']
    : [];
