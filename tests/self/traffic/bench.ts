import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  type Cost,
  costOfJudging,
  costOfParsing,
  costOfReading,
  type SessionKind,
  writeSession,
} from './generated.ts';

/**
 * `npm run bench-traffic -- --mib 1024` reads and judges generated HARs of that size, of what a browser records, and
 * of nothing but pages of customers, small or full, and compares memory with that for 10 MiB and speed with that of
 * JSON.parse (of 100 MiB, since no string holds all of it).
 */
const { values } = parseArgs({ options: { mib: { type: 'string', default: '1024' } } });
const [small, middle, large] = [10, 100, Number(values.mib)];
const folder = mkdtempSync(path.join(os.tmpdir(), 'traffic-'));
const file = path.join(folder, 'session.har');
const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

type Measured = [what: string, kind: SessionKind, little: Cost, cost: Cost];

/** What a way through a large file takes, and how much memory through a small one. */
async function measured(
  what: string,
  costOf: (file: string) => Promise<Cost>,
  kind: SessionKind,
): Promise<Measured> {
  writeSession(file, small, kind);
  const little = await costOf(file);
  writeSession(file, large, kind);
  return [what, kind, little, await costOf(file)];
}

try {
  const all = [
    await measured('read pages', costOfReading, 'repeating'),
    await measured('judge what a browser records', costOfJudging, 'mixed'),
    await measured('judge pages that repeat', costOfJudging, 'repeating'),
    await measured('judge pages that differ', costOfJudging, 'differing'),
    await measured('judge full pages of different customers', costOfJudging, 'full'),
  ];
  // At last, since it takes the memory that the others must not take.
  for (const [what, kind, little, { entries, milliseconds, peakBytes }] of all) {
    writeSession(file, middle, kind);
    const parsing = (await costOfParsing(file)) / middle;
    const ratio = (parsing / (milliseconds / large)).toFixed(2);
    const memory = `${mb(peakBytes)} (${small} MiB: ${mb(little.peakBytes)})`;
    const cost = `${entries} entries, ${(milliseconds / 1000).toFixed(1)} s, ${ratio} of JSON.parse, ${memory}`;
    process.stdout.write(`${what}: ${large} MiB, ${cost}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
