import { createHash } from 'node:crypto';
import type { ObservedEntry } from './judge-entry.ts';
import type { ExchangeEntry, SkipReason } from './recorded-entry.ts';

/** What was observed of an exchange, or why it was not judged. */
type Outcome = ObservedEntry | SkipReason;

/** Responses that are kept, the latest ones. */
const mostKept = 1000;

/**
 * What was observed of the latest responses. A client asks the same again and again, and gets the same: the same
 * response to the same request is judged once, and counted as often as it was recorded.
 */
export class KnownResponses {
  readonly #known = new Map<string, Outcome>();

  /** What was made of an equal exchange, or else what `judge` makes of this one. */
  outcome(entry: ExchangeEntry, judge: () => Outcome): Outcome {
    const print = printOf(entry);
    const known = this.#known.get(print);
    if (known) return known;
    const outcome = judge();
    if (!isLarge(outcome)) this.#known.set(print, outcome);
    if (this.#known.size > mostKept) this.#forgetOldest();
    return outcome;
  }

  #forgetOldest(): void {
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

/** All that an observation depends on; of the headers of a response only the media type is judged. */
function printOf(entry: ExchangeEntry): string {
  const { url, accept, status, headers, bodyIs, body = nothing } = entry;
  const hasHeaders = Object.keys(headers).length > 0;
  const about = JSON.stringify([url, accept, status, headers['content-type'], hasHeaders, bodyIs]);
  return createHash('sha256').update(`${about}\0`).update(body).digest('base64');
}

const nothing = new Uint8Array();

/** Records of a page, of which prints are kept. */
const mostRecords = 100;

const isLarge = (outcome: Outcome) =>
  typeof outcome === 'object' && outcome.prints.pages.some(({ sightings }) => sightings.length > mostRecords);
