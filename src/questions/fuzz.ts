import fc from 'fast-check';
import type { Operation } from '../../schemas/contract/contract.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { fitsPath } from '../operations/request.ts';
import type { Observation } from '../redact/observation.ts';
import { describeServerError, isSent } from './evidence.ts';
import { createPathProbe, type ProbeContext, sendProbe } from './probes.ts';

type FindEarlierResponse = (path: string) => Observation | undefined;

type SendPath = (operation: Operation, path: string) => Promise<Observation>;

/**
 * Sends up to `budget` random requests. If a request causes a server error, shrinks it to a minimal example.
 * @param earlierObservations observations of earlier requests. These requests are not sent again.
 * @returns `observations` of all sent requests. `smallest` holds, for each operation, the smallest request that caused a server
 *   error.
 */
export async function fuzz(
  context: ProbeContext,
  earlierObservations: Observation[],
  { budget, seed }: { budget: number; seed: number },
): Promise<{ observations: Observation[]; smallest: Observation[] }> {
  const { contract, target } = context;
  const breaker = new CircuitBreaker();
  const earlierResponses = earlierObservations.filter(isSent);
  const earlierByRequestLine = new Map(earlierResponses.map((response) => [response.requestText, response]));
  const fuzzedByPath = new Map<string, Observation>();
  const findEarlierResponse: FindEarlierResponse = (path) =>
    fuzzedByPath.get(path) ?? earlierByRequestLine.get(`GET ${path}`);
  const sendPath: SendPath = async (operation, path) => {
    const observation = await sendProbe(context, createPathProbe(target, { operation, path }), breaker);
    if (isSent(observation)) fuzzedByPath.set(path, observation);
    return observation;
  };
  const smallestFailingRequests: Observation[] = [];
  for (const [index, operation] of contract.operations.entries()) {
    // Divides 200 requests among 3 operations as 66, 67 and 67.
    const maxRequests = Math.floor((budget + index) / contract.operations.length);
    const options = { maxRequests, seed };
    const smallestPath = await findSmallestPathWithError(operation, options, findEarlierResponse, sendPath);
    if (smallestPath === undefined) continue;
    const observation = findEarlierResponse(smallestPath);
    if (observation) smallestFailingRequests.push(observation);
  }
  return { observations: [...fuzzedByPath.values()], smallest: smallestFailingRequests };
}

async function findSmallestPathWithError(
  operation: Operation,
  { maxRequests, seed }: { maxRequests: number; seed: number },
  findEarlierResponse: FindEarlierResponse,
  sendPath: SendPath,
): Promise<string | undefined> {
  let remainingRequests = maxRequests;
  const causesNoError = async (path: string): Promise<boolean> => {
    const earlierResponse = findEarlierResponse(path);
    if (earlierResponse) return describeServerError(earlierResponse) === undefined;
    // All requests are used up. With `true`, fast-check keeps the smallest path that it has found so far.
    if (remainingRequests <= 0) return true;
    remainingRequests -= 1;
    const response = await sendPath(operation, path);
    return describeServerError(response) === undefined;
  };
  const property = fc.asyncProperty(arbitraryPath(operation), causesNoError);
  // fast-check looks for a path for which the property is false, and shrinks this path.
  const { counterexample } = await fc.check(property, { seed, numRuns: maxRequests });
  return counterexample?.[0];
}

function arbitraryPath({ path, parameters }: Operation): fc.Arbitrary<string> {
  const hasPathParameter = path.includes('{');
  const arbitraryId = hasPathParameter ? arbitraryValue([]).filter(fitsPath) : fc.constant('');
  return fc.tuple(arbitraryId, arbitraryQuery(parameters)).map(([id, query]) => {
    const route = path.replace(/\{\w+\}/, () => encode(id));
    return query ? `${route}?${query}` : route;
  });
}

function arbitraryQuery(parameters: Operation['parameters']): fc.Arbitrary<string> {
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query');
  const documentedNames = queryParameters.map(({ name }) => name);
  const documentedValues = queryParameters.flatMap(({ schema }) => (schema.enum ?? []) as string[]);
  const arbitraryParameter = fc
    .tuple(fc.constantFrom(...documentedNames, 'undeclared'), arbitraryValue(documentedValues))
    .map(([name, value]) => `${name}=${encode(value)}`);
  return fc.array(arbitraryParameter, { maxLength: 4 }).map((texts) => texts.join('&'));
}

// Without surrogates (U+D800 to U+DFFF), because `encodeURIComponent` throws for a single one.
const arbitraryCharacter = fc
  // Not `fc.string({ unit: 'binary' })`, which first builds a table of all code points for several seconds.
  .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

function arbitraryValue(documentedValues: string[]): fc.Arbitrary<string> {
  const arbitraryText = fc.string({ unit: arbitraryCharacter, size: 'medium' });
  return fc.oneof(
    fc.constantFrom('', ...documentedValues),
    fc.integer().map(String),
    fc.uuid(),
    arbitraryText,
  );
}

/** Percent-encodes a value, including `!'()*`, which a shell may interpret. */
const encode = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
