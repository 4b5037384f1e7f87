import fc from 'fast-check';
import type { Operation } from '../../schemas/contract/contract.ts';
import { CircuitBreaker } from '../client/circuit-breaker.ts';
import { requestKey } from '../client/http-client.ts';
import { fitsPath } from '../exchanges/request.ts';
import { anyText } from './any-text.ts';
import { askOnce } from './ask-probes.ts';
import type { RecordedExchange, RecordingClient } from './recorded-exchange.ts';
import { serverErrorOf } from './server-errors.ts';

/**
 * Sends as many requests with arbitrary parameters as `budget` says, an equal share to each operation, and looks
 * for the smallest that shows a server error: once one is found, the rest of the share is spent on shrinking it.
 */
export async function fuzz(
  client: RecordingClient,
  budget: number,
  seed: number,
): Promise<RecordedExchange[]> {
  const breaker = new CircuitBreaker({ inARow: false });
  const { operations } = client.contract;
  const found: RecordedExchange[] = [];
  for (const [index, operation] of operations.entries()) {
    const share = Math.floor((budget + index) / operations.length);
    const smallest = share > 0 ? await smallestOf(operation, share, seed, client, breaker) : undefined;
    if (smallest) found.push(smallest);
  }
  return found;
}

async function smallestOf(
  operation: Operation,
  share: number,
  seed: number,
  client: RecordingClient,
  breaker: CircuitBreaker,
): Promise<RecordedExchange | undefined> {
  let left = share;
  const stands = fc.asyncProperty(requestOf(operation), async (path) => {
    if (!client.recorded.has(requestKey(path)) && left-- <= 0) return true;
    await askOnce(client, breaker, { path });
    const recorded = client.recorded.get(requestKey(path));
    return !recorded || !serverErrorOf(recorded);
  });
  const { counterexample } = await fc.check(stands, { seed, numRuns: share });
  return counterexample ? client.recorded.get(requestKey(counterexample[0])) : undefined;
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

function parameterText(values: string[]): fc.Arbitrary<string> {
  const documented = values.length > 0 ? [fc.constantFrom(...values)] : [];
  return fc.oneof(...documented, fc.integer().map(String), fc.uuid(), anyText(40));
}

/** Encodes also what a shell would take for its own. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
