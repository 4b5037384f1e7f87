import type { Observation } from '../redaction/observation.ts';
import type { RunSightings, Seen, ShownBy } from '../relations/sightings-of-run.ts';
import type { Source } from './recorder.ts';

/** What waits is of no more bytes of bodies than this: ordinary runs have a tenth of it. */
const maxBytes = 4 * 1024 * 1024;

/**
 * What responses show until all are there: what is quoted of several depends on the order of requests, not on that of
 * responses. No body is kept. What is too much to wait is handed on at once.
 */
export class HeldResponses {
  readonly #held: ShownBy<Source>[] = [];
  readonly #sightings: RunSightings<Source>;
  #bytes = 0;

  constructor(sightings: RunSightings<Source>) {
    this.#sightings = sightings;
  }

  add(seen: Seen<Source>): void {
    this.#bytes += seen.source.observation.bytes ?? 0;
    const shown = this.#sightings.shownBy(seen);
    if (this.#bytes > maxBytes) this.#sightings.take(shown);
    else this.#held.push({ ...shown, pages: shown.pages.map(read) });
  }

  /** Hands on what waits, in the order of what was observed. */
  release(observations: Observation[]): void {
    const places = new Map(observations.map((observation, place) => [observation, place]));
    const placeOf = ({ source }: ShownBy<Source>) => places.get(source.observation) ?? observations.length;
    for (const shown of this.#held.splice(0).sort((one, other) => placeOf(one) - placeOf(other)))
      this.#sightings.take(shown);
  }
}

const read = ({ list, sightings }: ShownBy<Source>['pages'][number]) => ({ list, sightings: [...sightings] });
