import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export function listProjectFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  // `.gitignore` excludes the folder `node_modules/`; git lists a link of this name. Deleted files are still in the index.
  return paths.filter((file) => file && file !== 'node_modules' && existsSync(path.join(root, file)));
}
