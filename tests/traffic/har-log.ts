import { BrokenText } from './broken-text.ts';
import type { JsonScanner, JsonSlice } from './json-scanner.ts';

const maxKeyBytes = 1_000;

/** The elements of `log.entries` of a HAR, one by one. @throws BrokenText where the text breaks. */
export async function* harEntries(json: JsonScanner, maxBytes: number): AsyncGenerator<JsonSlice> {
  let found = false;
  for await (const key of members(json)) {
    if (key !== 'log') await json.value();
    else {
      for await (const name of members(json)) {
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
async function* members(json: JsonScanner): AsyncGenerator<string> {
  await json.expect('{');
  for (let first = true; await json.hasMore(first, '}'); first = false) {
    if ((await json.peek()) !== '"'.charCodeAt(0)) throw await json.unexpected();
    const { bytes } = await json.value(maxKeyBytes);
    await json.expect(':');
    yield nameOf(bytes);
  }
}

function nameOf(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : bytes.toString('utf8', 1, bytes.length - 1);
}

async function* elements(json: JsonScanner, maxBytes: number): AsyncGenerator<JsonSlice> {
  await json.expect('[');
  for (let first = true; await json.hasMore(first, ']'); first = false) yield await json.value(maxBytes);
}
