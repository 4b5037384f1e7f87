import { BrokenText } from './broken-text.ts';
import type { JsonScanner } from './json-scanner.ts';
import { parsedIfJson, parseSlice } from './parse.ts';
import { Separator } from './separator.ts';

/** An element of a list, and where it begins; without a value when it has more bytes than the caller accepts. */
export interface ParsedElement {
  byte: number;
  value: unknown;
}

const maxKeyBytes = 1_000;

/** The elements of `log.entries` of a HAR, one by one. @throws BrokenText where the text breaks. */
export async function* harEntries(json: JsonScanner, maxBytes: number): AsyncGenerator<ParsedElement> {
  let found = false;
  for await (const key of members(json, 'its value')) {
    if (key !== 'log') await json.value();
    else {
      for await (const name of members(json, 'log')) {
        if (name !== 'entries') await json.value();
        else {
          found = true;
          yield* elements(json, maxBytes);
        }
      }
    }
  }
  if (!found) throw new BrokenText('holds no log.entries', json.byte);
  if ((await json.peek()) !== undefined) throw new BrokenText('goes on after its end', json.byte);
}

/** The names of an object's members; whoever takes one must take the value, too. */
async function* members(json: JsonScanner, of: string): AsyncGenerator<string> {
  await open(json, '{', `${of} is no object`);
  for (let first = true; await json.hasMore(first, '}'); first = false) {
    if ((await json.peek()) !== '"'.charCodeAt(0)) throw await json.unexpected();
    const { bytes } = await json.value(maxKeyBytes);
    await json.expect(':');
    yield nameOf(bytes);
  }
}

/** How a JSON value begins. */
const valueStarts = new Set(Buffer.from('{["-0123456789tfn'));

/** Takes the bracket that opens an object or an array. @throws BrokenText where another value stands, or none. */
async function open(json: JsonScanner, bracket: '{' | '[', otherwise: string): Promise<void> {
  const first = await json.peek();
  const isOther = first !== undefined && first !== bracket.charCodeAt(0) && valueStarts.has(first);
  if (isOther) throw new BrokenText(`is no HAR: ${otherwise}`, json.byte);
  await json.expect(bracket);
}

function nameOf(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : bytes.toString('utf8', 1, bytes.length - 1);
}

async function* elements(json: JsonScanner, maxBytes: number): AsyncGenerator<ParsedElement> {
  await open(json, '[', 'log.entries is no list');
  const separator = new Separator();
  for (let first = true; await json.hasMore(first, ']'); first = false) {
    await json.peek();
    const { byte } = json;
    const value = parsedUpTo(separator, json, maxBytes);
    if (value !== undefined) yield { byte, value };
    else {
      const { bytes } = await json.value(maxBytes);
      separator.learn(json.rest);
      yield { byte, value: bytes && parseSlice(bytes, byte) };
    }
  }
}

/** The next element, if it ends where it seems to. */
function parsedUpTo(separator: Separator, json: JsonScanner, maxBytes: number): unknown {
  const length = separator.lengthIn(json.rest) ?? Number.POSITIVE_INFINITY;
  const value = length > maxBytes ? undefined : parsedIfJson(json.rest.subarray(0, length));
  if (value !== undefined) json.take(length);
  return value;
}
