import fc from 'fast-check';
import type { Operation } from '../../schemas/contract/contract.ts';
import { fitsPath } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';

export interface FuzzOptions {
  operations: Operation[];
  /** Maximum number of requests, divided equally among the operations. */
  budget: number;
  seed: number;
  send(operation: Operation, path: string): Promise<Observation>;
  findSent(path: string): Observation | undefined;
  /** Returns whether a response is HTTP 5xx, or was cut off. */
  isError(observation: Observation): boolean;
}

/**
 * Sends requests with random parameters to provoke errors (`isError`). After the first error of an operation, spends its
 * remaining requests on finding a smaller request with the same effect (shrinking).
 * @returns `observations`: all responses. `smallest`: for each operation with an error, the response to the smallest request that
 * caused it
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
 * Requests random paths of an operation until one causes an error, and then smaller ones. Returns the smallest path that does.
 * @param share maximum number of requests
 * @param observations responses, keyed by path; receives the new ones
 */
async function findCounterexample(
  { seed, send, findSent, isError }: FuzzOptions,
  operation: Operation,
  share: number,
  observations: Map<string, Observation>,
): Promise<string | undefined> {
  let remainingRequests = share;
  const answersWithoutError = fc.asyncProperty(arbitraryPath(operation), async (path) => {
    const earlier = observations.get(path) ?? findSent(path);
    if (earlier) return !isError(earlier);
    // No request is left. `true` means no error, so that fast-check tries no smaller path than the last one with an error.
    if (remainingRequests <= 0) return true;
    remainingRequests -= 1;
    const observation = await send(operation, path);
    if (!observation.notSent) observations.set(path, observation);
    return !isError(observation);
  });
  const { counterexample } = await fc.check(answersWithoutError, { seed, numRuns: share });
  return counterexample?.[0];
}

/** Creates a generator of random paths with up to four query parameters, documented or not. Shrinks to fewer and shorter ones. */
function arbitraryPath({ path, parameters }: Operation): fc.Arbitrary<string> {
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query');
  const documentedValues = queryParameters.flatMap(({ schema }) => (schema.enum ?? []) as string[]);
  const arbitraryName = fc.constantFrom(...queryParameters.map(({ name }) => name), 'undeclared');
  const arbitraryParameter = fc
    .tuple(arbitraryName, arbitraryValue(documentedValues))
    .map(([name, value]) => `${name}=${encode(value)}`);
  const arbitraryQuery = fc.array(arbitraryParameter, { maxLength: 4 }).map((texts) => texts.join('&'));
  const arbitraryId = path.includes('{') ? arbitraryValue([]).filter(fitsPath) : fc.constant('');
  return fc.tuple(arbitraryId, arbitraryQuery).map(([id, query]) => {
    const route = path.replace(/\{\w+\}/, () => encode(id));
    return query ? `${route}?${query}` : route;
  });
}

/**
 * Generator of random characters, a third of them ASCII. No surrogates, because `encodeURIComponent` throws for a single one. The
 * characters of fast-check take two seconds to build a table.
 */
const character = fc
  .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

function arbitraryValue(documentedValues: string[]): fc.Arbitrary<string> {
  const arbitraryText = fc.string({ unit: character, size: 'medium' });
  return fc.oneof(
    fc.constantFrom('', ...documentedValues),
    fc.integer().map(String),
    fc.uuid(),
    arbitraryText,
  );
}

/** Percent-encodes a value. Also encodes `!'()*`, which `encodeURIComponent` keeps and a shell would interpret. */
const encode = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
