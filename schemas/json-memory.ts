import { stringEnd, tokenAt, tokens } from './json-scan.ts';
import { ShapeCounter } from './json-shapes.ts';

/** Bytes of a parsed value for each of these, as measured; a comma stands for what comes after it. */
const cost = { string: 32, ownMember: 64, object: 64, array: 48, comma: 24 };

/** An estimate of the memory that the parsed value of a JSON text takes, in bytes; rather too high. */
export function memoryOf(bytes: Uint8Array): number {
  const counts = new Float64Array(8);
  const shapes = new ShapeCounter();
  let [depth, begin, behind] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const token = tokenAt(bytes, at);
    counts[token] = (counts[token] as number) + 1;
    if (token === tokens.string) {
      begin = at;
      behind = stringEnd(bytes, at);
      at = behind - 1;
    } else if (token === tokens.member) shapes.add(depth, bytes, begin, behind);
    else if (token === tokens.end) depth -= 1;
    else if (token === tokens.object || token === tokens.array) shapes.open(++depth);
  }
  return sum(counts, shapes.areFew);
}

function sum(counts: Float64Array, hasFewShapes: boolean): number {
  const count = (token: number) => counts[token] ?? 0;
  // Where objects have few shapes, they share the names of their members.
  const ofMember = hasFewShapes ? -cost.string : cost.ownMember;
  return (
    count(tokens.string) * cost.string +
    count(tokens.member) * ofMember +
    count(tokens.object) * cost.object +
    count(tokens.array) * cost.array +
    count(tokens.comma) * cost.comma
  );
}
