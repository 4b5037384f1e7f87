import { execFileSync } from 'node:child_process';
import { type SpecTexts, specFiles } from '../../schemas/contract/contract.ts';
import { CommandError } from '../command-error.ts';

/**
 * The files of the contract as they were at a commit, branch or tag; nothing is checked out.
 * @param folder that holds them, in a work tree of Git
 * @throws {CommandError} when there is no such commit, or it lacks a file.
 */
export function textsAt(folder: string, ref: string): SpecTexts {
  git(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], noCommit(ref));
  const texts = specFiles.map((name) => {
    const missing = `${name} of the contract is not there at ${ref}: name a later commit`;
    return [name, git(folder, ['show', '--end-of-options', `${ref}:./${name}`], missing)];
  });
  return Object.fromEntries(texts);
}

const noCommit = (ref: string) =>
  `there is no commit, branch or tag "${ref}" here; fetch it, or name another one`;

function git(folder: string, args: string[], problem: string): string {
  try {
    return execFileSync('git', ['--no-pager', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    throw new CommandError(problem);
  }
}
