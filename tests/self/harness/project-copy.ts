import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A copy of the project as it is, without what is generated: all files, or those that are wanted. */
export function copyProject(folder: string, isWanted: (file: string) => boolean = () => true): string {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  // What is ignored as a folder is listed where it is a link.
  const isThere = (file: string) => file !== 'node_modules' && existsSync(path.join(root, file));
  const files = listed.split('\n').filter((file) => file && isThere(file));
  for (const file of files.filter(isWanted)) cpSync(path.join(root, file), path.join(folder, file));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}
