import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { costOfParsing, costOfReading, writeSession } from './generated.ts';

/**
 * `npm run bench-traffic -- --mib 1024` reads a generated HAR of that size, and compares memory with that for 10 MiB
 * and speed with that of JSON.parse. Of 100 MiB, for no string holds all of it.
 */
const { values } = parseArgs({ options: { mib: { type: 'string', default: '1024' } } });
const [small, middle, large] = [10, 100, Number(values.mib)];
const folder = mkdtempSync(path.join(os.tmpdir(), 'traffic-'));
const file = path.join(folder, 'session.har');
const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

try {
  writeSession(file, small);
  const little = await costOfReading(file);
  writeSession(file, large);
  const { entries, milliseconds, peakBytes } = await costOfReading(file);
  writeSession(file, middle);
  const parsing = await costOfParsing(file);
  process.stdout.write(
    [
      `${large} MiB, ${entries} entries    ${(milliseconds / 1000).toFixed(1)} s of processor time`,
      `peak memory               ${mb(peakBytes)}; ${mb(little.peakBytes)} for ${small} MiB`,
      `speed ÷ that of JSON.parse  ${(parsing / middle / (milliseconds / large)).toFixed(2)}`,
      '',
    ].join('\n'),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
