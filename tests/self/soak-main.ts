import { spawnSync } from 'node:child_process';
import { findRandomSpecs } from './specs.ts';

/*
 * `npm run dev:soak` runs the random tests with one seed after another for SOAK minutes (10 by default), or until a test fails.
 * SOAK_SEED repeats a single round.
 */

const specs = findRandomSpecs().map((name) => `self/${name}`);

function runRound(seed: string): boolean {
  process.stdout.write(`\nSOAK_SEED=${seed}\n`);
  const args = ['node_modules/@playwright/test/cli.js', 'test', '--config', 'tests/self', ...specs];
  const env = { ...process.env, SOAK_SEED: seed };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  return status === 0;
}

const { SOAK = '10', SOAK_SEED } = process.env;
const endsAt = Date.now() + 60_000 * Number(SOAK);
do {
  const seed = SOAK_SEED ?? String(1 + Math.floor(Math.random() * 1_000_000));
  if (runRound(seed)) continue;
  process.stderr.write(`soak: a round failed; repeat it with SOAK_SEED=${seed} npm run dev:soak\n`);
  process.exit(1);
} while (!SOAK_SEED && Date.now() < endsAt);
