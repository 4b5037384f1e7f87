import fc from 'fast-check';
import type { Operation } from '../../schemas/contract/contract.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { fitsPath } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';
import { describeServerError, isSent } from './evidence.ts';
import { createPathProbe, type ProbeContext, sendProbe } from './probes.ts';

/** Finds the response to a path that was requested before. */
type FindSent = (path: string) => Observation | undefined;

/** Requests a path, and stores the response. */
type SendPath = (operation: Operation, path: string) => Promise<Observation>;

/**
 * Sends random requests to each operation until one causes a server error. With the remaining requests of the operation, looks for
 * a smaller request that causes an error too (shrinking).
 * @param earlier observations of earlier requests, which are not sent again
 * @param budget maximum number of requests, divided equally among the operations
 * @returns `observations`: all responses. `smallest`: for each operation with an error, the response to the smallest request that
 * caused one
 */
export async function fuzz(
  context: ProbeContext,
  earlier: Observation[],
  { budget, seed }: { budget: number; seed: number },
): Promise<{ observations: Observation[]; smallest: Observation[] }> {
  const { operations } = context.contract;
  const breaker = new CircuitBreaker();
  const earlierByRequestLine = new Map(earlier.filter(isSent).map((sent) => [sent.exchange, sent]));
  const observationByPath = new Map<string, Observation>();
  const findSent: FindSent = (path) => observationByPath.get(path) ?? earlierByRequestLine.get(`GET ${path}`);
  const send: SendPath = async (operation, path) => {
    const observation = await sendProbe(context, createPathProbe(context.target, operation, path), breaker);
    if (isSent(observation)) observationByPath.set(path, observation);
    return observation;
  };
  const smallest: Observation[] = [];
  for (const [index, operation] of operations.entries()) {
    // Adding the index gives the remainder of the division to the last operations.
    const maxRequests = Math.floor((budget + index) / operations.length);
    const path = await findSmallestPathWithError(operation, { maxRequests, seed }, findSent, send);
    const observation = path === undefined ? undefined : findSent(path);
    if (observation) smallest.push(observation);
  }
  return { observations: [...observationByPath.values()], smallest };
}

/** Requests random paths until one causes an error, then smaller ones. Returns the smallest. */
async function findSmallestPathWithError(
  operation: Operation,
  { maxRequests, seed }: { maxRequests: number; seed: number },
  findSent: FindSent,
  send: SendPath,
): Promise<string | undefined> {
  let remainingRequests = maxRequests;
  const causesNoError = fc.asyncProperty(arbitraryPath(operation), async (path) => {
    const earlierObservation = findSent(path);
    if (earlierObservation) return describeServerError(earlierObservation) === undefined;
    // No request is left. `true` means no error, so that fast-check tries no smaller path than the last one with an error.
    if (remainingRequests <= 0) return true;
    remainingRequests -= 1;
    return describeServerError(await send(operation, path)) === undefined;
  });
  const { counterexample } = await fc.check(causesNoError, { seed, numRuns: maxRequests });
  return counterexample?.[0];
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
