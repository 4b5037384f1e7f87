import fc from 'fast-check';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { isObjectOrArray, readJson } from '../../../schemas/json/read.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import { summarizePage } from '../../exchanges/listCustomers/customers-page.ts';
import { observe } from '../../redaction/observe.ts';
import { type Mutation, mutated, mutations } from './mutations.ts';

export interface Fuzz {
  runs: number;
  seed: number;
}

/** The result; `failure` is the counterexample, made as small as possible. */
export interface Fuzzed {
  bodies: number;
  kilobytes: number;
  cpuMs: number;
  failure?: string;
}

const { operations, ledger } = loadContract();
const examples = operations.flatMap((operation) =>
  Object.values(operation.examples).map(({ value }) => ({ operation, text: JSON.stringify(value) })),
);

const brokenByte = fc.tuple(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(255));

/** Some of the bodies are broken as bytes too. */
const bodies = fc.tuple(
  fc.constantFrom(...examples),
  mutations,
  fc.oneof({ arbitrary: fc.constant(null), weight: 9 }, { arbitrary: brokenByte, weight: 1 }),
);

function bodyOf(text: string, changes: Mutation[], byte: [number, number] | null): Buffer {
  const body = Buffer.from(mutated(text, changes));
  if (byte && body.length > 0) body[Math.floor(byte[0] * body.length)] = byte[1];
  return body;
}

/** Reads, judges, observes and writes one body. @throws when something is not as it must be for any body. */
function check(operation: Operation, body: Buffer): void {
  const { written, value } = judged(operation, body);
  if (written.includes('own fault')) throw new Error(written);
  if (written.length > 200_000) throw new Error('the findings are too many');
  if (value !== undefined && !isSame(value, JSON.parse(new TextDecoder().decode(body))))
    throw new Error('the value was changed');
  const sameBody = Buffer.from(body);
  readJson(sameBody, operation.schema, { whole: 0, chunk: 60 });
  const byPieces = judged(operation, sameBody).written;
  if (byPieces !== written) throw new Error(`by pieces: ${byPieces}, at once: ${written}`);
}

/** What is written of a body. */
function judged(operation: Operation, body: Buffer): { written: string; value: unknown } {
  const parameters = { id: 'cus-1' };
  const answer = { status: 200, contentType: 'application/json', body };
  const judgement = judge({ operation, parameters, answer });
  const request = { operation: operation.id, parameters, configured: true, exchange: 'GET /', repeat: '' };
  const observation = observe(operation, request, judgement, ledger);
  const page = summarizePage(judgement.body, 'curl', operation);
  return { written: JSON.stringify([observation, page]), value: judgement.body };
}

/** Without recursion: a body may be of any depth. */
function isSame(value: unknown, expected: unknown): boolean {
  const pending = [[value, expected]];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other)) continue;
    if (!isObjectOrArray(one) || !isObjectOrArray(other) || Array.isArray(one) !== Array.isArray(other))
      return false;
    const names = Object.keys(other);
    if (Object.keys(one).length !== names.length) return false;
    for (const name of names) pending.push([Object.hasOwn(one, name) ? one[name] : undefined, other[name]]);
  }
  return true;
}

function fuzz({ runs, seed }: Fuzz): Fuzzed {
  const done: Fuzzed = { bodies: 0, kilobytes: 0, cpuMs: 0 };
  const property = fc.property(bodies, ([{ operation, text }, changes, byte]) => {
    const body = bodyOf(text, changes, byte);
    const start = process.cpuUsage();
    check(operation, body);
    done.cpuMs += process.cpuUsage(start).user / 1000;
    done.bodies += 1;
    done.kilobytes += body.length / 1000;
  });
  const { failed, counterexample, errorInstance } = fc.check(property, { numRuns: runs, seed });
  return failed ? { ...done, failure: `${errorInstance}: ${JSON.stringify(counterexample)}` } : done;
}

/** Whoever writes to what all objects inherit from, or needs to, fails from here on. */
for (const shared of [Object, Array, Function, String, Number, Boolean, RegExp, Map, Set, Promise])
  Object.freeze(shared.prototype);

process.on('message', (order: Fuzz) => process.send?.(fuzz(order)));
