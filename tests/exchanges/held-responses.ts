import type { Observation } from '../redaction/observation.ts';
import type { RunSightings, Seen, ShownBy } from '../relations/sightings-of-run.ts';
import type { Source } from './recorder.ts';

/** Bytes of the bodies of the responses that wait, at most: ordinary runs have a tenth of it. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Holds what responses show until all have arrived, so that what is quoted depends on the order of requests, not on that of
 * responses. No body is kept. Responses beyond `maxBytes` do not wait.
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
    else this.#held.push({ ...shown, pages: shown.pages.map(withoutBody) });
  }

  /** Hands on what waits, in the order of the observations. */
  release(observations: Observation[]): void {
    const places = new Map(observations.map((observation, place) => [observation, place]));
    const placeOf = ({ source }: ShownBy<Source>) => places.get(source.observation) ?? observations.length;
    for (const shown of this.#held.splice(0).sort((one, other) => placeOf(one) - placeOf(other)))
      this.#sightings.take(shown);
  }
}

const withoutBody = ({ list, sightings }: ShownBy<Source>['pages'][number]) => ({
  list,
  sightings: [...sightings],
});
