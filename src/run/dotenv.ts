import { lstatSync } from 'node:fs';
import { parseEnv, TextDecoder } from 'node:util';
import { readRegularFile, UnreadableFileError } from '../client/files.ts';
import type { Environment } from './variable-table.ts';

/** Reads `.env` as `node --env-file` does. Both are empty if it is missing; if it is unreadable, `problems` has a sentence. */
export function readDotenv(file: string): { values: Environment; problems: string[] } {
  // `lstat` also finds a symbolic link without a target, which is reported as unreadable instead of ignored.
  if (!lstatSync(file, { throwIfNoEntry: false })) return { values: {}, problems: [] };
  try {
    // The decoder drops the byte order mark that some editors write, which would begin the first name.
    return { values: parseEnv(new TextDecoder().decode(readRegularFile(file))), problems: [] };
  } catch (error) {
    const reason = error instanceof UnreadableFileError ? error.message : 'a file that cannot be read';
    return { values: {}, problems: [`.env is ${reason}; correct or remove it`] };
  }
}
