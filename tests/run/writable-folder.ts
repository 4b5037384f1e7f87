import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from './whole-file.ts';

/** Makes a folder with its parents, one by one: `recursive` never returns below a folder that accepts none, as /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

/** Finds out whether a folder takes files. @throws the error of the disk. */
export function tryWriting(folder: string): void {
  const file = path.join(folder, 'observations.probe');
  writeWhole(file, '1'.repeat(4096));
  rmSync(file);
}
