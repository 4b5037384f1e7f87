import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  type Cost,
  costOfJudging,
  costOfParsing,
  costOfReading,
  type SessionKind,
  type Time,
  writeSession,
} from './generated.ts';

/**
 * `npm run bench-traffic -- --mib 1024` reads and judges generated HARs of that size, of what a browser records, and
 * of nothing but pages of customers, small or full, and compares memory with that for 10 MiB and speed with that of
 * JSON.parse (of 100 MiB, since no string holds all of it): by the clock, and in processor time. Each is measured in a
 * process of its own, so that none pays for the one before.
 */
const options = { mib: { type: 'string', default: '1024' }, measure: { type: 'string' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });

const measures = { read: costOfReading, judge: costOfJudging, parse: costOfParsing };
type Measure = keyof typeof measures;

const isMeasure = (name: string): name is Measure => Object.hasOwn(measures, name);

/** What a measure takes in a process of its own. */
async function measured(measure: 'parse', file: string): Promise<Time>;
async function measured(measure: Measure, file: string): Promise<Cost>;
async function measured(measure: Measure, file: string): Promise<unknown> {
  const child = fork(fileURLToPath(import.meta.url), ['--measure', measure, file]);
  const [cost] = await once(child, 'message');
  return cost;
}

const [small, middle, large] = [10, 100, Number(values.mib)];
const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

async function compare(file: string, what: string, measure: Measure, kind: SessionKind): Promise<void> {
  writeSession(file, small, kind);
  const little = await measured(measure, file);
  writeSession(file, middle, kind);
  const parsing = await measured('parse', file);
  writeSession(file, large, kind);
  const cost = await measured(measure, file);
  const ratio = (of: keyof Time) => (parsing[of] / middle / (cost[of] / large)).toFixed(2);
  const speed = `${(cost.wallMs / 1000).toFixed(1)} s, ${ratio('wallMs')} of JSON.parse`;
  const processor = `${(cost.milliseconds / 1000).toFixed(1)} s of processor time, ${ratio('milliseconds')}`;
  const memory = `${mb(cost.peakBytes)} (${small} MiB: ${mb(little.peakBytes)})`;
  process.stdout.write(
    `${what}: ${large} MiB, ${cost.entries} entries, ${speed} (${processor}), ${memory}\n`,
  );
}

async function compareAll(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'traffic-'));
  const file = path.join(folder, 'session.har');
  try {
    await compare(file, 'read pages', 'read', 'repeating');
    await compare(file, 'judge what a browser records', 'judge', 'mixed');
    await compare(file, 'judge pages that repeat', 'judge', 'repeating');
    await compare(file, 'judge pages that differ', 'judge', 'differing');
    await compare(file, 'judge full pages of different customers', 'judge', 'full');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { measure } = values;
if (measure === undefined) await compareAll();
else if (isMeasure(measure)) process.send?.(await measures[measure](positionals[0] ?? ''));
