import { lstatSync } from 'node:fs';
import { parseEnv, TextDecoder } from 'node:util';
import { readRegularFile, UnreadableFileError } from '../client/files.ts';
import type { Environment } from './variable-table.ts';

/**
 * Reads a `.env` file in the format of `node --env-file`.
 * @returns empty `values` if the file is missing or unreadable. `problems` reports an unreadable file, but not a missing file.
 */
export function readDotenv(file: string): { values: Environment; problems: string[] } {
  // `lstat` also finds a symbolic link without a target, which is reported as unreadable instead of ignored.
  if (!lstatSync(file, { throwIfNoEntry: false })) return { values: {}, problems: [] };
  try {
    // Some editors write a byte order mark, which would become a part of the first name. The decoder drops it.
    const text = new TextDecoder().decode(readRegularFile(file));
    return { values: parseEnv(text), problems: [] };
  } catch (error) {
    const reason = error instanceof UnreadableFileError ? error.message : 'a file that cannot be read';
    return { values: {}, problems: [`.env is ${reason}; correct or remove it`] };
  }
}
