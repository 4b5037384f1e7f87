import type { Print } from '../../relations/print-table.ts';
import { differ } from '../../relations/prints.ts';
import { RecordTable } from '../pages/record-table.ts';
import { numbersOfRecord } from '../pages/sightings.ts';
import { mergeInOrder } from './merge-in-order.ts';

/** Records that more than one part has seen. */
export interface Across {
  /** The list moved from one part to the other. */
  repeated: number;
  /** Places, from 0 and in order, of records whose identity names another one at an earlier place, in another part. */
  twins: number[];
  /** Where a record was first, if any part has counted it. */
  placeOf(print: Print): number | undefined;
}

/** What the prints of several parts say together. */
export function acrossParts(prints: Uint32Array[]): Across {
  const table = new RecordTable();
  const twins: number[] = [];
  let repeated = 0;
  // As one list has them: which of two records is the first says its place, and not the part that has seen it.
  const sightings = mergeInOrder(prints.map(sightingsIn), ({ position }) => position);
  for (const { high, low, position, named } of sightings) {
    const known = table.add({ high, low }, { position, named });
    if (known && differ(known.named, named)) twins.push(position);
    else if (known) repeated += 1;
  }
  return { repeated, twins, placeOf: (print) => table.find(print)?.position };
}

interface Sighting extends Print {
  position: number;
  named: number;
}

function* sightingsIn(prints: Uint32Array): Generator<Sighting> {
  for (let at = 0; at + numbersOfRecord <= prints.length; at += numbersOfRecord) {
    const [high = 0, low = 0, position = 0, named = 0] = prints.subarray(at, at + numbersOfRecord);
    yield { high, low, position, named };
  }
}
