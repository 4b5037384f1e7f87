import { lstatSync } from 'node:fs';
import { parseEnv, TextDecoder } from 'node:util';
import { readRegularFile, UnreadableFile } from '../client/files.ts';
import type { Environment } from './variable-table.ts';

/** Variables that `.env` sets, and one sentence if the file cannot be read. */
interface Dotenv {
  values: Environment;
  problems: string[];
}

/** Reads `.env` by Node's own grammar (`--env-file`). A missing file sets nothing. */
export function readDotenv(file: string): Dotenv {
  if (!lstatSync(file, { throwIfNoEntry: false })) return { values: {}, problems: [] };
  try {
    // The decoder drops the byte order mark that some editors write, which would begin the first name.
    return { values: parseEnv(new TextDecoder().decode(readRegularFile(file))), problems: [] };
  } catch (error) {
    const reason = error instanceof UnreadableFile ? error.message : 'a file that cannot be read';
    return { values: {}, problems: [`.env is ${reason}; correct or remove it`] };
  }
}
