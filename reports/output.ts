import { isDiskError, makeFolder, writeFailure } from '../src/client/files.ts';
import { shownToCaller } from '../src/run/caller-folder.ts';

/** A folder that a command writes to, and the option that names it: "--output". */
export interface Output {
  option: string;
  folder: string;
}

/** Makes the folder and does what writes to it. @throws an error for people saying why that cannot be. */
export function fillOutput<T>({ option, folder }: Output, write: () => T): T {
  try {
    makeFolder(folder);
    return write();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const reason = `${writeFailure(error)}; name another folder`;
    throw new Error(`${option} (${shownToCaller(folder)}) cannot be written: ${reason}`);
  }
}
