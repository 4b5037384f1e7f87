import { spawnSync } from 'node:child_process';
import { randomSpecs } from './specs.ts';

/*
 * `npm run dev:soak` runs the random tests with one seed after another, until they have taken as long as SOAK says (30s, 10m,
 * 8h; ten minutes without it) or one fails: SOAK_SEED repeats that round alone.
 */

const milliseconds = { s: 1000, m: 60_000, h: 3_600_000 };
const specs = randomSpecs().map((name) => `self/${name}`);

/** @throws when that is no duration. */
function durationOf(text: string): number {
  const [, count, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (!count || !unit) throw new Error('SOAK must be a duration, for example 30s, 10m or 8h');
  return Number(count) * milliseconds[unit as keyof typeof milliseconds];
}

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

const { SOAK = '10m', SOAK_SEED } = process.env;
try {
  soak(durationOf(SOAK), SOAK_SEED);
} catch (error) {
  process.stderr.write(`soak: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
