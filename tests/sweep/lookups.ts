import { isObject } from '../../schemas/json.ts';
import { judge } from '../../schemas/judge.ts';
import { foundInShell } from '../client/curl.ts';
import { effortOf } from '../client/http-client.ts';
import type { Observation } from '../client/observation.ts';
import { observeExchange } from '../exchanges/observe-exchange.ts';
import { pathOf, requestOf, valuesOf } from '../exchanges/request.ts';
import type { SweptList } from '../exchanges/session.ts';
import type { SweepContext } from './context.ts';

/** A record of a page, and its place on it and in the list, from 0. */
interface Listed {
  index: number;
  place: number;
  record: unknown;
}

/**
 * Looks up a record that is listed, and judges the response like any other. Nothing is said of one that is not found: it may have
 * been removed meanwhile.
 */
export async function lookUp(
  context: SweepContext,
  list: SweptList,
  { index, place, record }: Listed,
  repeat: string,
): Promise<Observation | undefined> {
  const { contract, client, disclosure, entries, curl } = context;
  const identity = isObject(record) && Object.hasOwn(record, list.key) ? record[list.key] : undefined;
  if (typeof identity !== 'string') return undefined;
  const shell = foundInShell(repeat, `${list.pointer}/${index}/${list.key}`);
  const lookup = list.lookup(identity, `{${list.key} of number ${place + 1} of the ${list.noun}}`, shell);
  const operation = contract.operations.find(({ id }) => id === lookup?.operation);
  if (!lookup || !operation) return undefined;
  const answer = await client.get(pathOf(operation, lookup.parameters));
  if ('blocked' in answer || answer.status !== operation.status) return undefined;
  const exchange = { operation, parameters: valuesOf(lookup.parameters), answer };
  const request = requestOf(operation, lookup.parameters, curl);
  const observation = observeExchange(exchange, request, judge(exchange), entries);
  return disclosure.settleUnlearned({ ...observation, ...effortOf(answer) });
}
