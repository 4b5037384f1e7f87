import { isAscii } from 'node:buffer';
import { stringEnd, tokenAt, tokens } from './json-scan.ts';
import { ShapeCounter } from './json-shapes.ts';

/** Bytes of a parsed value for each of these, as measured; a comma stands for what comes after it. */
const cost = { string: 32, ownMember: 64, object: 64, array: 48, comma: 24 };

/** An estimate of the memory that the parsed value of a JSON text takes, in bytes; rather too high. */
export function memoryOf(bytes: Uint8Array): number {
  const counts = new Float64Array(8);
  const shapes = new ShapeCounter();
  let [depth, begin, behind, texts, names] = [0, 0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const token = tokenAt(bytes, at);
    counts[token] = (counts[token] as number) + 1;
    if (token === tokens.string) {
      begin = at;
      behind = stringEnd(bytes, at);
      texts += behind - begin;
      at = behind - 1;
    } else if (token === tokens.member) {
      shapes.add(depth, bytes, begin, behind);
      names += behind - begin;
    } else if (token === tokens.end) depth -= 1;
    else if (token === tokens.object || token === tokens.array) shapes.open(++depth);
  }
  // Names of members that objects share are there once. A string that is not all ASCII may take two bytes a character.
  const written = shapes.areFew ? texts - names : texts;
  return sum(counts, shapes.areFew) + written * (isAscii(bytes) ? 1 : 2);
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
