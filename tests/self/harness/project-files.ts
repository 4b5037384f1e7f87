import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Path of a missing `.env` file, so that `readConfiguration` reads none. */
export const noDotenv = '/nonexistent';

export function listProjectFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listedFiles = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd().split('\n');
  // Git still lists a file that was deleted but not committed.
  const existingFiles = listedFiles.filter((file) => existsSync(path.join(root, file)));
  // `.gitignore` excludes only a folder `node_modules/`, so that Git lists a symbolic link of this name.
  return existingFiles.filter((file) => file !== 'node_modules');
}
