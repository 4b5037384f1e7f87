import { spawnSync } from 'node:child_process';
import { randomSpecs } from './specs.ts';

/*
 * `npm run dev:soak` runs the random tests with one seed after another, for as many minutes as SOAK says (10 without
 * it), or until one fails: SOAK_SEED repeats that round alone.
 */

const specs = randomSpecs().map((name) => `self/${name}`);

/** Runs all of them once. */
function passes(seed: string): boolean {
  process.stdout.write(`\nSOAK_SEED=${seed}\n`);
  const args = ['node_modules/@playwright/test/cli.js', 'test', '--config', 'tests/self', ...specs];
  const env = { ...process.env, SOAK_SEED: seed };
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status === 0;
}

/** Runs round after round. @throws when one of them fails. */
function soak(durationMs: number, only: string | undefined): void {
  const endsAt = Date.now() + durationMs;
  do {
    const seed = only ?? String(1 + Math.floor(Math.random() * 1_000_000));
    if (!passes(seed)) throw new Error(`a round failed; repeat it with SOAK_SEED=${seed} npm run dev:soak`);
  } while (!only && Date.now() < endsAt);
}

const { SOAK = '10', SOAK_SEED } = process.env;
try {
  soak(60_000 * Number(SOAK), SOAK_SEED);
} catch (error) {
  process.stderr.write(`soak: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
