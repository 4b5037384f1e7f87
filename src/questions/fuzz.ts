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
  /** Returns whether a response has HTTP 5xx or was cut off. */
  isError(observation: Observation): boolean;
}

/**
 * Sends random requests to each operation until one causes an error (`isError`). With the remaining requests of the operation,
 * looks for a smaller request that causes an error too (shrinking).
 * @returns `observations`: all responses. `smallest`: for each operation with an error, the response to the smallest request that
 * caused one
 */
export async function fuzz(
  options: FuzzOptions,
): Promise<{ observations: Observation[]; smallest: Observation[] }> {
  const { operations, budget } = options;
  const observationByPath = new Map<string, Observation>();
  const smallest: Observation[] = [];
  for (const [index, operation] of operations.entries()) {
    // Adding the index gives the remainder of the division to the last operations.
    const maxRequests = Math.floor((budget + index) / operations.length);
    const path = await findSmallestPathWithError(options, operation, maxRequests, observationByPath);
    if (path === undefined) continue;
    const observation = observationByPath.get(path) ?? options.findSent(path);
    if (observation) smallest.push(observation);
  }
  return { observations: [...observationByPath.values()], smallest };
}

/** Requests random paths until one causes an error, then smaller ones. Returns the smallest. Fills `observationByPath`. */
async function findSmallestPathWithError(
  { seed, send, findSent, isError }: FuzzOptions,
  operation: Operation,
  maxRequests: number,
  observationByPath: Map<string, Observation>,
): Promise<string | undefined> {
  let remainingRequests = maxRequests;
  const causesNoError = fc.asyncProperty(arbitraryPath(operation), async (path) => {
    const earlierObservation = observationByPath.get(path) ?? findSent(path);
    if (earlierObservation) return !isError(earlierObservation);
    // No request is left. `true` means no error, so that fast-check tries no smaller path than the last one with an error.
    if (remainingRequests <= 0) return true;
    remainingRequests -= 1;
    const observation = await send(operation, path);
    if (!observation.notSent) observationByPath.set(path, observation);
    return !isError(observation);
  });
  const { counterexample } = await fc.check(causesNoError, { seed, numRuns: maxRequests });
  const [smallestPath] = counterexample ?? [];
  return smallestPath;
}

/** Creates a fast-check generator of random paths with up to four query parameters, whose names and values may be undocumented. */
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
 * Generator of random characters, a third of them ASCII. Leaves out surrogates, because `encodeURIComponent` throws for a surrogate
 * without its pair. The generators of fast-check would first build a table for two seconds.
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

/** Percent-encodes a value, including `!'()*`: `encodeURIComponent` keeps them, but a shell would interpret them. */
const encode = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
