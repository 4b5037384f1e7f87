import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Cost, costOfJudging, costOfParsing, costOfReading, writeSession } from './generated.ts';

/**
 * `npm run bench-traffic -- --mib 1024` reads and judges generated HARs of that size, which hold nothing but pages of
 * customers, and compares memory with that for 10 MiB and speed with that of JSON.parse (of 100 MiB, since no string
 * holds all of it).
 */
const { values } = parseArgs({ options: { mib: { type: 'string', default: '1024' } } });
const [small, middle, large] = [10, 100, Number(values.mib)];
const folder = mkdtempSync(path.join(os.tmpdir(), 'traffic-'));
const file = path.join(folder, 'session.har');
const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/** What a way through a large file takes, and how much memory through a small one. */
async function costsOf(costOf: (file: string) => Promise<Cost>, differ: boolean): Promise<[Cost, Cost]> {
  writeSession(file, small, differ);
  const little = await costOf(file);
  writeSession(file, large, differ);
  return [little, await costOf(file)];
}

try {
  const costs: [what: string, costs: [Cost, Cost]][] = [
    ['read', await costsOf(costOfReading, false)],
    ['judge pages that repeat', await costsOf(costOfJudging, false)],
    ['judge pages that differ', await costsOf(costOfJudging, true)],
  ];
  writeSession(file, middle);
  const parsing = (await costOfParsing(file)) / middle;
  for (const [what, [little, { entries, milliseconds, peakBytes }]] of costs) {
    const ratio = (parsing / (milliseconds / large)).toFixed(2);
    const memory = `${mb(peakBytes)} (${small} MiB: ${mb(little.peakBytes)})`;
    process.stdout.write(
      `${what}: ${large} MiB, ${entries} entries, ${(milliseconds / 1000).toFixed(1)} s, ${ratio} of JSON.parse, ${memory}\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
