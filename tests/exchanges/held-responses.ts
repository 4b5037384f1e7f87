import type { Observation } from '../redaction/observation.ts';
import type { Seen } from '../relations/sightings-of-run.ts';
import type { Source } from './recorder.ts';

/** Bodies that wait have no more than this in all: ordinary ones have a tenth of it. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Responses until all are there: what is quoted of several depends on the order of requests, not on that of responses.
 * What is too large to wait is handed on at once.
 */
export class HeldResponses {
  readonly #held: Seen<Source>[] = [];
  readonly #handOn: (seen: Seen<Source>) => void;
  #bytes = 0;

  constructor(handOn: (seen: Seen<Source>) => void) {
    this.#handOn = handOn;
  }

  readonly add = (seen: Seen<Source>): void => {
    this.#bytes += seen.source.observation.bytes ?? 0;
    if (this.#bytes > maxBytes) this.#handOn(seen);
    else this.#held.push(seen);
  };

  /** Hands on what waits, in the order of what was observed. */
  release(observations: Observation[]): void {
    const places = new Map(observations.map((observation, place) => [observation, place]));
    const placeOf = ({ source }: Seen<Source>) => places.get(source.observation) ?? observations.length;
    for (const seen of this.#held.splice(0).sort((one, other) => placeOf(one) - placeOf(other)))
      this.#handOn(seen);
  }
}
