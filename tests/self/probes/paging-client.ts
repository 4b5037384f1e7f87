import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import type { CircuitBreaker } from '../../client/circuit-breaker.ts';
import { limitConcurrency } from '../../client/concurrency.ts';
import type { Blocked, HttpClient } from '../../client/http-client.ts';
import { identifierVariables } from '../../configuration/identifier-variables.ts';
import { askEverything, maxRequests } from '../../exchanges/ask-everything.ts';
import type { Observation } from '../../redaction/observation.ts';
import { exampleTarget, json } from '../harness/examples.ts';
import type { Pages } from './paging-provider.ts';

/** The result of a run against some pages. */
export interface PagingRun {
  observations: Observation[];
  /** Paths of the requests that were sent. */
  sent: string[];
  /** How many of them were sent again. */
  again: number;
  maxRequests: number;
}

/** So that only what is listed is looked up. */
const noIdentifiers = Object.fromEntries(identifierVariables().map((name) => [name, []]));

/**
 * Asks and judges everything of a provider whose lists are paged in some way, without network.
 * @param knows whether a customer can be looked up
 */
export async function runAgainstPages(
  pages: Pages,
  maxPages: number,
  knows: (uuid: string) => boolean = () => true,
): Promise<PagingRun> {
  const target = exampleTarget({ identifiers: noIdentifiers, maxPages });
  const sent: string[] = [];
  const observations = await askEverything(
    loadContract(),
    target,
    clientOf((path) => reply(pages, knows, path), sent),
    [],
  );
  const again = observations.filter((one) => one.again).length;
  return { observations, sent, again, maxRequests: await maxRequests(loadContract(), target) };
}

/** At most four requests at a time wait for their answers, as in a run. */
function clientOf(answerTo: (path: string) => HttpResponse | Blocked, sent: string[]): HttpClient {
  const queued = limitConcurrency(4);
  const answer = async (path: string, breaker?: CircuitBreaker) => {
    const open = breaker?.open();
    if (open) return open;
    sent.push(path);
    await new Promise(setImmediate);
    const response = answerTo(path);
    breaker?.note(response);
    return response;
  };
  return {
    get: (path, breaker) => queued(() => answer(path, breaker)),
    sent: () => sent.length,
    repeated: () => ({}),
    close: async () => {},
  };
}

function reply(pages: Pages, knows: (uuid: string) => boolean, path: string): HttpResponse | Blocked {
  const { pathname, searchParams } = new URL(path, 'http://example.com');
  const [id = ''] = /[^/]+$/.exec(pathname) ?? [];
  if (id === 'customers') return pages(searchParams);
  if (id === 'fee_rule') return json(400, { code: 400 });
  const uuid = decodeURIComponent(id);
  if (!knows(uuid)) return json(404, { code: 404, message: 'no such customer', data: null });
  const customer = { uuid, dial_code: '+1', reference_number: 'r' };
  return json(200, { code: 200, message: 'ok', data: { customer } });
}
