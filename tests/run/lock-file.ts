import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning } from '../client/is-running.ts';

/** A lock that this process, or another one of the same run, holds. */
export interface Lock {
  /** Whether an earlier process of the same run holds it: that one releases it. */
  shared: boolean;
  /** Whether nobody has taken it over, as after a process was suspended for long. */
  isHeld(): boolean;
  release(): void;
}

/** Another run holds the lock. */
export class Locked extends Error {
  override name = 'Locked';
  readonly pid: number | undefined;
  constructor(pid: number | undefined) {
    super(`another run (process ${pid ?? 'unknown'}) holds the lock`);
    this.pid = pid;
  }
}

interface Owner {
  pid: number;
  /** Hash of the host's name: a process is looked for only on its own machine. */
  machine: string;
  run: string;
}

const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 16);
const refreshMs = 5_000;
/** A live process refreshes its lock; one that has not for so long has ended, wherever it ran. */
const staleMs = 60_000;
/** A lock without an owner is being written. */
const unreadableMs = 5_000;

/** Takes a lock for a run, also one that its owner left behind. @throws {Locked} when another run holds it. */
export function takeLock(file: string, run: string): Lock {
  const text = JSON.stringify({ pid: process.pid, machine, run } satisfies Owner);
  if (create(file, text)) return held(file, text);
  const owner = ownerOf(file);
  if (owner?.run === run && isAlive(file, owner)) return held(file, readText(file), true);
  if (isAlive(file, owner)) throw new Locked(owner?.pid);
  return takeOver(file, text);
}

function create(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // A full disk takes the name and not the text.
    rmSync(file, { force: true });
    throw error;
  }
}

/** Of several that take over at once, the last one has it. */
function takeOver(file: string, text: string): Lock {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, file);
  pauseSync(100);
  if (readText(file) === text) return held(file, text);
  throw new Locked(ownerOf(file)?.pid);
}

function held(file: string, text: string, shared = false): Lock {
  const isHeld = () => readText(file) === text;
  if (shared) return { shared, isHeld, release: () => {} };
  const refresh = setInterval(() => isHeld() && touch(file), refreshMs).unref();
  const release = () => {
    clearInterval(refresh);
    process.off('exit', release);
    if (isHeld()) rmSync(file, { force: true });
  };
  process.once('exit', release);
  return { shared, isHeld, release };
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Somebody has removed it: whoever writes looks whether the lock is held.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function ownerOf(file: string): Owner | undefined {
  try {
    const { pid, machine: host, run } = JSON.parse(readText(file));
    const known = Number.isSafeInteger(pid) && typeof host === 'string' && typeof run === 'string';
    return known ? { pid, machine: host, run } : undefined;
  } catch {
    return undefined;
  }
}

/** The run that holds a lock, as far as one is there. */
export const holderOf = (file: string): string | undefined => ownerOf(file)?.run;

function isAlive(file: string, owner: Owner | undefined): boolean {
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (!owner) return age < unreadableMs;
  return age < staleMs && (owner.machine !== machine || isRunning(owner.pid));
}

const pauseSync = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
