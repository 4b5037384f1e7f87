import fc from 'fast-check';
import type { Operation } from '../../schemas/contract/contract.ts';
import { fitsPath } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';

/** Operations to fuzz, and functions that send their requests. */
export interface FuzzOptions {
  operations: Operation[];
  /** Total number of requests, divided equally among the operations. */
  budget: number;
  seed: number;
  /** Sends a GET for a path of an operation, with its query, and observes the response. */
  send(operation: Operation, path: string): Promise<Observation>;
  /** Returns the response to a path that was requested before fuzzing began; undefined if it was not. */
  findSent(path: string): Observation | undefined;
  /** Returns whether a response is the server error that fuzzing looks for. */
  isError(observation: Observation): boolean;
}

/**
 * Sends requests with arbitrary parameters to find server errors. Once an operation shows one, the rest of its share of requests
 * goes into shrinking the request. Returns all responses, and the one to the smallest failing request of each operation.
 */
export async function fuzz(
  options: FuzzOptions,
): Promise<{ observations: Observation[]; smallest: Observation[] }> {
  const { operations, budget } = options;
  const observations = new Map<string, Observation>();
  const smallest: Observation[] = [];
  for (const [index, operation] of operations.entries()) {
    const share = Math.floor((budget + index) / operations.length);
    const path = await findCounterexample(options, operation, share, observations);
    const observation = path === undefined ? undefined : (observations.get(path) ?? options.findSent(path));
    if (observation) smallest.push(observation);
  }
  return { observations: [...observations.values()], smallest };
}

/**
 * Finds the smallest path of an operation whose response is an error; undefined if none is. Adds each response to `observations`.
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
    // No request is left: true stops the shrinking.
    if (left <= 0) return true;
    left -= 1;
    const observation = await send(operation, path);
    if (!observation.notSent) observations.set(path, observation);
    return !isError(observation);
  });
  const { counterexample } = await fc.check(answersWithoutError, { seed, numRuns: share });
  return counterexample?.[0];
}

/** Generates paths of an operation with up to four query parameters, documented or not. Shrinks to fewer and shorter ones. */
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

/** Generates characters, a third of them ASCII. The characters of fast-check itself would first take two seconds to build a table. */
const character = fc
  .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Generates the value of a parameter: one of the given values, empty, an integer, a UUID, or any text. */
function arbitraryValue(values: string[]): fc.Arbitrary<string> {
  const text = fc.string({ unit: character, size: 'medium' });
  return fc.oneof(fc.constantFrom('', ...values), fc.integer().map(String), fc.uuid(), text);
}

/** Percent-encodes a value, including the characters `!'()*`, which a shell would interpret. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
