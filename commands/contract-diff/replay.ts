import type { Contract, Operation } from '../../schemas/contract.ts';
import { judge } from '../../schemas/judge.ts';
import { toleration } from '../../schemas/ledger.ts';
import { readTraffic } from '../../tests/traffic/read-traffic.ts';
import type { ExchangeEntry } from '../../tests/traffic/recorded-entry.ts';

/** In how many recorded answers a requirement is kept, and in how many it is violated. */
export interface Tally {
  kept: number;
  violated: number;
}

/** What both contracts say of the same answers. */
export interface Replay {
  /** Answers that were judged. */
  answers: number;
  before: ReadonlyMap<string, Tally>;
  now: ReadonlyMap<string, Tally>;
}

/** Judges recorded answers by two contracts. Only addresses and numbers are kept of them. @param sources HAR or lines of JSON */
export async function replay(before: Contract, now: Contract, sources: string[]): Promise<Replay> {
  const [old, own] = [new Map<string, Tally>(), new Map<string, Tally>()];
  let answers = 0;
  for await (const entry of readTraffic(sources)) {
    if (entry.kind !== 'exchange' || !isJudgeable(entry)) continue;
    const judged = [judgeBy(before, entry, old), judgeBy(now, entry, own)];
    if (judged.some(Boolean)) answers += 1;
  }
  return { answers, before: old, now: own };
}

/** An answer with a whole body, to a request of the kind that the contract documents. */
const isJudgeable = ({ method, bodyIs }: ExchangeEntry) =>
  method === 'GET' && (bodyIs === 'raw' || bodyIs === 'text');

/** Adds what a contract says of an answer; false where it is about none of its operations. */
function judgeBy(contract: Contract, entry: ExchangeEntry, tallies: Map<string, Tally>): boolean {
  const found = requestIn(contract.operations, new URL(entry.url));
  if (!found || entry.status !== found.operation.status) return false;
  const answer = {
    status: entry.status,
    contentType: entry.headers['content-type'],
    body: entry.body ?? new Uint8Array(),
  };
  const judgement = judge({ ...found, answer });
  const violated = new Set<string>();
  const untargeted = contract.ledger.filter(({ target }) => !target);
  for (const violation of judgement.violations)
    if (!toleration(violation, untargeted, judgement.body)) violated.add(violation.requirement);
  for (const address of new Set([...Object.keys(judgement.visits), ...violated])) {
    const tally = tallies.get(address) ?? { kept: 0, violated: 0 };
    tally[violated.has(address) ? 'violated' : 'kept'] += 1;
    tallies.set(address, tally);
  }
  return true;
}

interface Found {
  operation: Operation;
  parameters: Record<string, string>;
}

/** The operation of a request, by the end of its path, and the values of its parameters. */
function requestIn(operations: Operation[], { pathname, searchParams }: URL): Found | undefined {
  const steps = pathname.split('/').slice(1);
  for (const operation of operations) {
    const route = operation.path.split('/').slice(1);
    const own = steps.slice(-route.length);
    if (own.length < route.length || !route.every((step, index) => isName(step) || step === own[index]))
      continue;
    const inPath = route.flatMap((step, index) =>
      isName(step) ? [[step.slice(1, -1), own[index] ?? '']] : [],
    );
    return { operation, parameters: { ...Object.fromEntries(searchParams), ...Object.fromEntries(inPath) } };
  }
  return undefined;
}

const isName = (step: string) => /^\{\w+\}$/.test(step);

/** A requirement of which the same answers say something else now. */
export interface ChangedVerdict {
  address: string;
  before: string;
  now: string;
}

/** @param names operations that are called otherwise now */
export function changedVerdicts(
  { before, now }: Replay,
  names: ReadonlyMap<string, string>,
): ChangedVerdict[] {
  const addressNow = (address: string) => {
    const [operation = '', ...rest] = address.split('/');
    return [names.get(operation) ?? operation, ...rest].join('/');
  };
  const old = new Map([...before].map(([address, tally]) => [addressNow(address), tally]));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((address) => ({ address, before: textOf(old.get(address)), now: textOf(now.get(address)) }))
    .filter((one) => verdictOf(one.before) !== verdictOf(one.now));
}

function textOf(tally: Tally | undefined): string {
  if (!tally) return 'not judged';
  return tally.violated > 0
    ? `violation in ${tally.violated} of ${tally.violated + tally.kept} answers`
    : 'pass';
}

const verdictOf = (text: string) => text.split(' in ')[0];
