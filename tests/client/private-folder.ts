import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A folder below the system's temporary one that is this user's alone. Others may write there as well, so neither a
 * link nor what belongs to somebody else is accepted.
 * @throws an error for people.
 */
export function privateFolder(parent = tmpdir(), uid = process.getuid?.()): string {
  const folder = path.join(parent, `lookup-api-conformance-${uid ?? 'user'}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new Error(`${folder} cannot be made (${code}), ${remedy}`);
  }
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is no folder: remove it, or ${remedy}`);
  if (uid !== undefined && found.uid !== uid) throw new Error(`${folder} belongs to another user: ${remedy}`);
  if (found.mode & 0o077) chmodSync(folder, 0o700);
  return folder;
}

const remedy = 'set TMPDIR to a folder of your own; MAX_RPS is kept in it for all runs together';
