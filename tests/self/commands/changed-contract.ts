import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { readSpecTexts, type SpecTexts } from '../../../schemas/contract/contract.ts';

/** The contract as it is. */
export const texts = readSpecTexts();

/** Recorded traffic that keeps it. */
export const recordings = fileURLToPath(
  new URL('../traffic/recordings/mitmproxy-conforming.har', import.meta.url),
);

/** How the contract writes the year of a card's expiration date. */
export const yearPattern = 'pattern: ^(0[1-9]|1[0-2])/[0-9]{2}$';

/** Replaces text of a file that must hold it. */
export function edited(all: SpecTexts, name: keyof SpecTexts, from: string, to: string): SpecTexts {
  expect(all[name]).toContain(from);
  return { ...all, [name]: all[name].replaceAll(from, to) };
}

/** A repository whose last commit has the contract as it is, and whose work tree has another one. */
export function repository(now: SpecTexts): string {
  const root = test.info().outputPath('repository');
  const folder = path.join(root, 'contract');
  mkdirSync(folder, { recursive: true });
  const write = (all: SpecTexts) => {
    for (const [name, text] of Object.entries(all)) writeFileSync(path.join(folder, name), text);
  };
  const settings = [
    'user.name=a',
    'user.email=a@example.com',
    'commit.gpgSign=false',
    'core.hooksPath=/dev/null',
  ];
  const git = (...args: string[]) =>
    execFileSync('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd: root, stdio: 'ignore' });
  git('init', '-q');
  write(texts);
  git('add', '.');
  git('commit', '-qm', 'The contract');
  write(now);
  return folder;
}
