import { cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { listProjectFiles, root } from './project-files.ts';

export function copyProject(folder: string, isWanted: (file: string) => boolean = () => true): string {
  for (const file of listProjectFiles().filter(isWanted))
    cpSync(path.join(root, file), path.join(folder, file));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}
