import fc from 'fast-check';
import type { Operation } from '../../schemas/contract/contract.ts';
import { CircuitBreaker, requestKey } from '../client/http-client.ts';
import { fitsPath } from '../operations/request.ts';
import type { Digest, RecordingClient } from './digest.ts';

/**
 * Sends as many requests with arbitrary parameters as `budget` says, an equal share to each operation, and looks
 * for the smallest that shows a server error: once one is found, the rest of the share is spent on shrinking it.
 */
export async function fuzz(
  client: RecordingClient,
  budget: number,
  seed: number,
  isError: (digest: Digest) => boolean,
): Promise<Digest[]> {
  const breaker = new CircuitBreaker();
  const { operations } = client.contract;
  const found: Digest[] = [];
  for (const [index, operation] of operations.entries()) {
    let left = Math.floor((budget + index) / operations.length);
    const stands = fc.asyncProperty(requestOf(operation), async (path) => {
      const key = requestKey(path);
      if (!client.recorded.has(key)) {
        if (left <= 0) return true;
        left -= 1;
        await client.get(path, breaker);
      }
      const digest = client.recorded.get(key);
      return !digest || !isError(digest);
    });
    const { counterexample } = await fc.check(stands, { seed, numRuns: left });
    const smallest = counterexample && client.recorded.get(requestKey(counterexample[0]));
    if (smallest) found.push(smallest);
  }
  return found;
}

/** Requests of an operation, from documented to absurd; they shrink to fewer and shorter parameters. */
function requestOf({ path, parameters }: Operation): fc.Arbitrary<string> {
  const query = parameters.filter((one) => one.in === 'query');
  const values = query.flatMap(({ schema }) => (schema.enum ?? []) as string[]);
  const name = fc.constantFrom(...query.map((one) => one.name), 'undeclared');
  const pair = fc.tuple(name, parameterText(values)).map(([key, value]) => `${key}=${encode(value)}`);
  const pairs = fc.array(pair, { maxLength: 4 }).map((all) => all.join('&'));
  const id = path.includes('{') ? parameterText([]).filter(fitsPath) : fc.constant('');
  return fc.tuple(id, pairs).map(([value, text]) => {
    const route = path.replace(/\{\w+\}/, () => encode(value));
    return text ? `${route}?${text}` : route;
  });
}

/** Any character, one in three of ASCII. The units that fast-check has begin with a table of all there are, for two seconds. */
const character = fc
  .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

function parameterText(values: string[]): fc.Arbitrary<string> {
  const any = fc.string({ unit: character, size: 'medium' });
  return fc.oneof(fc.constantFrom('', ...values), fc.integer().map(String), fc.uuid(), any);
}

/** Encodes also what a shell would take for its own. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
