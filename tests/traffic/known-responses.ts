import { hash } from 'node:crypto';
import type { ObservedEntry } from './judge-entry.ts';
import type { ExchangeEntry, SkipReason } from './recorded-entry.ts';

/** What was observed of an exchange, or why it was not judged. */
type Outcome = ObservedEntry | SkipReason;

/** Responses that are known; with one more, all are forgotten. */
const maxKnown = 1000;

/**
 * What was observed of the latest responses. A client asks the same again and again, and gets the same: the same
 * response to the same request is judged until it has come twice, and then counted as often as it was recorded. Of what
 * comes once, nothing is kept but a print, and its body is looked at only when one of its length comes again.
 */
export class KnownResponses {
  readonly #known = new Map<string, Outcome | undefined>();
  readonly #requests = new Set<string>();

  /** What was made of an equal exchange, or else what `judge` makes of this one. */
  outcome(entry: ExchangeEntry, judge: () => Outcome): Outcome {
    const request = requestPrintOf(entry);
    if (!this.#requests.has(request)) {
      if (this.#requests.size >= maxKnown) this.#requests.clear();
      this.#requests.add(request);
      return judge();
    }
    const print = request + hash('sha256', entry.body ?? nothing, 'base64');
    const known = this.#known.get(print);
    if (known) return known;
    const isAgain = this.#known.has(print);
    const outcome = judge();
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(print, isAgain && !isLarge(outcome) ? outcome : undefined);
    return outcome;
  }
}

/**
 * All that an observation depends on but what stands in the body; of the headers of a response only the media type is
 * judged.
 */
function requestPrintOf({ url, accept, status, headers, bodyIs, body = nothing }: ExchangeEntry): string {
  const hasHeaders = Object.keys(headers).length > 0;
  const media = headers['content-type'];
  const about = JSON.stringify([url, accept, status, media, hasHeaders, bodyIs, body.length]);
  return hash('sha256', about, 'base64');
}

const nothing = new Uint8Array();

/** Records of a page, of which prints are kept. */
const maxRecords = 100;

const isLarge = (outcome: Outcome) =>
  typeof outcome === 'object' && outcome.prints.pages.some(({ sightings }) => sightings.length > maxRecords);
