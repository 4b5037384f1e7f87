import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Waits until the next request may be sent. */
export type Turn = () => Promise<void>;

/**
 * Spreads the requests of every process of this machine that asks the same target, shards among them: turns
 * are booked in a file below the system's temporary folder. `perSecond` may be infinite: then nothing waits.
 */
export function limiter(address: string, perSecond: number): Turn {
  if (!Number.isFinite(perSecond)) return async () => {};
  const file = bookOf(address);
  const interval = 1000 / perSecond;
  return async () => {
    const { lock } = await import('proper-lockfile');
    const release = await lock(file, {
      realpath: false,
      retries: { retries: 1000, minTimeout: 2, maxTimeout: 50 },
    });
    const turn = Math.max(Date.now(), bookedUntil(file));
    writeFileSync(file, String(turn + interval));
    await release();
    await pause(turn - Date.now());
  };
}

function bookOf(address: string): string {
  const folder = path.join(tmpdir(), 'lookup-api-conformance');
  mkdirSync(folder, { recursive: true });
  return path.join(folder, createHash('sha256').update(new URL(address).origin).digest('hex').slice(0, 16));
}

/** When the last booked turn is over; a booking of the far future is that of a clock that was set back. */
function bookedUntil(file: string): number {
  try {
    const until = Number(readFileSync(file, 'utf8'));
    return until < Date.now() + 600_000 ? until : 0;
  } catch {
    return 0;
  }
}
