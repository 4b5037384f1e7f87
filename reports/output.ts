import { rmSync } from 'node:fs';
import path from 'node:path';
import { shownToCaller } from '../tests/configuration/caller-folder.ts';
import { printable } from '../tests/redaction/printable.ts';
import { isDiskError, writeFailure, writeWhole } from '../tests/run/whole-file.ts';
import { makeFolder } from '../tests/run/writable-folder.ts';
import { ReportError } from './read-conformance.ts';

/** A folder that a command writes to, and the option that names it. */
export interface Output {
  /** As it is called: "--output". */
  option: string;
  folder: string;
}

/** Removes what an earlier command has left, since it would be taken for this one's. @throws {ReportError} saying why not. */
export const clearOutput = (output: Output, names: readonly string[]): void =>
  writing(output, () => {
    // A folder in place of a file was made by somebody else.
    for (const name of names)
      rmSync(path.join(output.folder, name), { recursive: path.extname(name) === '', force: true });
  });

/** Makes the folder and does what writes to it. @throws {ReportError} saying why that cannot be. */
export const fillOutput = <T>(output: Output, write: () => T): T =>
  writing(output, () => {
    makeFolder(output.folder);
    return write();
  });

function writing<T>({ option, folder }: Output, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const reason = writeFailure(error);
    throw new ReportError(
      `${option} (${shownToCaller(folder)}) cannot be written: ${reason}; name another folder`,
    );
  }
}

/** Writes a page or a text for people: nothing in it acts on a terminal or changes the direction of text. */
export const writeText = (file: string, text: string): void => writeWhole(file, printable(text));
