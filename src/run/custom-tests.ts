import { globSync } from 'glob';
import { findStats } from '../client/files.ts';
import { formatCallerPath } from './caller-folder.ts';

/** Pattern of the files in which Playwright looks for tests. */
const testFiles = '**/*.{spec,test}.?([cm])[jt]s?(x)';

/** Describes what is wrong with the folder of `CUSTOM_TESTS`. Returns an empty array if nothing is wrong. */
export function findCustomTestProblems(folder: string): string[] {
  const subject = `CUSTOM_TESTS names ${formatCallerPath(folder)}, which`;
  if (!findStats(folder)?.isDirectory()) return [`${subject} is not a folder: name the folder of your tests`];
  const files = globSync(testFiles, { cwd: folder, dot: true, ignore: '**/node_modules/**' });
  return files.length > 0 ? [] : [`${subject} has no test file, such as a.spec.mts`];
}
