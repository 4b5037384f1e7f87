import { visit } from 'jsonc-parser';
import { BrokenText } from './broken-text.ts';

/** The value of a slice of JSON text that begins at this byte. @throws BrokenText where it is none. */
export function parseSlice(bytes: Buffer, byte: number): unknown {
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    const ended = /^(Unterminated string|Unexpected end)/.test((error as Error).message);
    const offset = ended ? text.length : firstMistake(text);
    throw new BrokenText(
      ended ? 'ends early' : 'is not JSON',
      byte + Buffer.byteLength(text.slice(0, offset)),
    );
  }
}

/** The value of some JSON text; undefined where it is none. */
export function parsedIfJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** JSON.parse says where it stopped for some mistakes only. */
function firstMistake(text: string): number {
  let first: number | undefined;
  const onError = (_error: number, offset: number) => {
    first = offset;
    throw new RangeError('found');
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    // Also when the stack does not suffice: then the mistake is somewhere in the slice.
    if (!(error instanceof RangeError)) throw error;
  }
  return first ?? 0;
}
