import { createHash } from 'node:crypto';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning } from './is-running.ts';
import { privateFolder } from './private-folder.ts';
import { ClientError } from './reasons.ts';

/** Waits until the next request may be sent. */
export type AcquireSlot = () => Promise<void>;

/** When a process sends a request, and until when the target is then left alone. */
interface Booking {
  pid: number;
  at: number;
  until: number;
}

interface Options {
  folder?: string;
  print?(line: string): void;
}

/** Requests in a second, more than the processes of a machine can send: to book a turn takes longer than to await it. */
const unlimited = 10_000;

/** A longer wait for others is worth a line. */
const longWaitMs = 3000;

/**
 * Spreads the requests of every process of this user that asks the same target, shards among them: turns are
 * booked in a file of a private folder, unless there are more turns than can be taken.
 * @throws an error for people when there can be no such folder.
 */
export function limiter(address: string, perSecond: number, options: Options = {}): AcquireSlot {
  if (perSecond >= unlimited) return async () => {};
  const { folder = privateFolder(), print = (line) => void process.stdout.write(line) } = options;
  const file = bookOf(address, folder);
  let announced = false;
  return async () => {
    const { at, forOthers } = await book(file, 1000 / perSecond);
    const waitMs = at - Date.now();
    if (forOthers && waitMs > longWaitMs && !announced) {
      announced = true;
      print(`  waiting ${Math.ceil(waitMs / 1000)} s for other runs against this target (MAX_RPS)\n`);
    }
    await pause(waitMs);
  };
}

/** The file in which turns with a target are booked. */
export const bookOf = (address: string, folder: string) =>
  path.join(folder, createHash('sha256').update(new URL(address).origin).digest('hex').slice(0, 16));

/** Books the next free turn. Between lock and release nothing is awaited, so that no lock gets old. */
async function book(file: string, interval: number): Promise<{ at: number; forOthers: boolean }> {
  const { lockSync } = await import('proper-lockfile');
  for (;;) {
    try {
      const release = lockSync(file, { realpath: false, stale: 2000 });
      try {
        return bookNext(file, interval);
      } finally {
        release();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw new ClientError('pacing');
      await pause(2 + Math.random() * 20);
    }
  }
}

function bookNext(file: string, interval: number): { at: number; forOthers: boolean } {
  const now = Date.now();
  const opened = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    const bookings = readBookings(opened).filter((one) => counts(one, now, interval));
    const last = bookings.reduce((latest, one) => (one.until > latest.until ? one : latest), none);
    const at = Math.max(now, last.until);
    const kept = bookings.filter(({ until }) => until > now);
    const text = JSON.stringify([...kept, { pid: process.pid, at, until: at + interval }]);
    // Cut to length afterwards: to free the only block of a file and take a new one costs milliseconds.
    ftruncateSync(opened, writeSync(opened, text, 0));
    return { at, forOthers: last.pid !== process.pid };
  } finally {
    closeSync(opened);
  }
}

const none: Booking = { pid: process.pid, at: 0, until: 0 };

function readBookings(opened: number): Booking[] {
  try {
    const bookings: unknown = JSON.parse(readFileSync(opened, 'utf8'));
    return Array.isArray(bookings) ? bookings : [];
  } catch {
    return [];
  }
}

/** A turn of a process that has ended is never taken; one of the far future is that of a clock that was set back. */
const counts = ({ pid, at }: Booking, now: number, interval: number) =>
  at <= now || (at < now + Math.max(600_000, 100 * interval) && isRunning(pid));
