import fc from 'fast-check';
import type { Operation } from '../../schemas/contract/contract.ts';
import { fitsPath } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';

/** Options of `fuzz`: the operations, the number of requests, and functions that send them. */
export interface FuzzOptions {
  /** Operations whose parameters get random values. */
  operations: Operation[];
  /** Maximum number of random requests, divided equally among the operations. */
  budget: number;
  /** Seed of the random requests: the same seed generates the same ones. */
  seed: number;
  /** Sends a GET for a path of an operation, with its query, and observes the response. */
  send(operation: Operation, path: string): Promise<Observation>;
  /** Returns the response to a path that was requested before fuzzing began; undefined if it was not requested. */
  findSent(path: string): Observation | undefined;
  /** Returns whether a response is a server error, which fuzzing looks for: HTTP 5xx, or a response that is cut off. */
  isError(observation: Observation): boolean;
}

/**
 * Sends requests with random parameters to find server errors. Once an operation answers with one, the rest of its share of
 * requests goes into finding a smaller request that still causes the error (shrinking).
 * @returns all responses, and for each operation with an error the response to its smallest such request
 */
export async function fuzz(
  options: FuzzOptions,
): Promise<{ observations: Observation[]; smallest: Observation[] }> {
  const { operations, budget } = options;
  const observations = new Map<string, Observation>();
  const smallest: Observation[] = [];
  for (const [index, operation] of operations.entries()) {
    // Adding the index gives the remainder of the division to the last operations.
    const share = Math.floor((budget + index) / operations.length);
    const path = await findCounterexample(options, operation, share, observations);
    const observation = path === undefined ? undefined : (observations.get(path) ?? options.findSent(path));
    if (observation) smallest.push(observation);
  }
  return { observations: [...observations.values()], smallest };
}

/**
 * Requests random paths of an operation until one is answered with a server error, and then smaller paths. Returns the smallest
 * path that causes an error; undefined if none does. Adds each response to `observations`, keyed by path.
 * @param share maximum number of requests
 */
async function findCounterexample(
  { seed, send, findSent, isError }: FuzzOptions,
  operation: Operation,
  share: number,
  observations: Map<string, Observation>,
): Promise<string | undefined> {
  let left = share;
  const answersWithoutError = fc.asyncProperty(arbitraryPath(operation), async (path) => {
    const earlier = observations.get(path) ?? findSent(path);
    if (earlier) return !isError(earlier);
    // No request is left. `true` means no error, so that fast-check tries no smaller path than the last one with an error.
    if (left <= 0) return true;
    left -= 1;
    const observation = await send(operation, path);
    if (!observation.notSent) observations.set(path, observation);
    return !isError(observation);
  });
  const { counterexample } = await fc.check(answersWithoutError, { seed, numRuns: share });
  return counterexample?.[0];
}

/**
 * Creates a generator of paths of an operation with up to four query parameters, documented or not. Shrinks to fewer and shorter
 * ones.
 */
function arbitraryPath({ path, parameters }: Operation): fc.Arbitrary<string> {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const values = query.flatMap(({ schema }) => (schema.enum ?? []) as string[]);
  const name = fc.constantFrom(...query.map((parameter) => parameter.name), 'undeclared');
  const pair = fc.tuple(name, arbitraryValue(values)).map(([key, value]) => `${key}=${encode(value)}`);
  const pairs = fc.array(pair, { maxLength: 4 }).map((all) => all.join('&'));
  const id = path.includes('{') ? arbitraryValue([]).filter(fitsPath) : fc.constant('');
  return fc.tuple(id, pairs).map(([value, text]) => {
    const route = path.replace(/\{\w+\}/, () => encode(value));
    return text ? `${route}?${text}` : route;
  });
}

/**
 * Generator of characters, a third of them ASCII; without halves of surrogate pairs, which cannot be encoded. The characters of
 * fast-check itself would first take two seconds to build a table.
 */
const character = fc
  .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Creates a generator of parameter values: one of the given values, an empty text, an integer, a UUID, or any text. */
function arbitraryValue(values: string[]): fc.Arbitrary<string> {
  const text = fc.string({ unit: character, size: 'medium' });
  return fc.oneof(fc.constantFrom('', ...values), fc.integer().map(String), fc.uuid(), text);
}

/** Percent-encodes a value, also the characters `!'()*`, which a shell would interpret and `encodeURIComponent` leaves alone. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
