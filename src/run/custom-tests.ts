import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'glob';
import { getOwnValue, parseJson } from '../../schemas/json.ts';
import { findStats } from '../client/files.ts';
import { formatCallerPath } from './caller-folder.ts';

/** Pattern of the files in which Playwright looks for tests. */
export const testFiles = '**/*.{spec,test}.?([cm])[jt]s?(x)';

export function findCustomTestProblems(folder: string): string[] {
  const subject = `CUSTOM_TESTS names ${formatCallerPath(folder)}, which`;
  if (!findStats(folder)?.isDirectory()) return [`${subject} is not a folder: name the folder of your tests`];
  const files = globSync(testFiles, {
    // The pattern does not follow a symbolic link at its beginning.
    cwd: realpathSync(folder),
    absolute: true,
    dot: true,
    nocase: true,
    ignore: '**/node_modules/**',
  });
  if (files.length === 0) return [`${subject} has no test file, such as a.spec.mts`];
  return files.filter(isCommonJs).map(describeCommonJs).sort();
}

/** Returns whether Node loads a TypeScript file as CommonJS. A CommonJS file cannot import the fixtures of this suite. */
const isCommonJs = (file: string): boolean => file.endsWith('.ts') && !isInModulePackage(path.dirname(file));

/** Returns whether the nearest `package.json` in a folder or above it has `"type": "module"`. */
function isInModulePackage(folder: string): boolean {
  const manifest = path.join(folder, 'package.json');
  if (existsSync(manifest)) {
    const content = parseJson(readFileSync(manifest, 'utf8'))?.value;
    return getOwnValue(content, 'type') === 'module';
  }
  const parentFolder = path.dirname(folder);
  return parentFolder !== folder && isInModulePackage(parentFolder);
}

function describeCommonJs(file: string): string {
  const name = path.basename(file);
  const moduleName = name.replace(/ts$/, 'mts');
  return `CUSTOM_TESTS has ${name}: outside of this project, name it ${moduleName}`;
}
