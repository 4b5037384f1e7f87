import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { number } from '../../schemas/counted.ts';
import { type Figure, median } from './measure.ts';
import type { Mark } from './sweep-process.ts';

const run = promisify(execFile);
const tsx = ['--import', 'tsx'];

/** A mock in a process of its own, so that what it takes is not taken for the suite's. */
export async function withMock<T>(args: string[], use: (url: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [...tsx, 'mock/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += text;
      const [, url] = /export BASE_URL=(\S+)\n/.exec(said) ?? [];
      if (url) return await use(url);
    }
    throw new Error('the mock did not start');
  } finally {
    child.kill();
    await once(child, 'close').catch(() => undefined);
  }
}

const mockOf = (customers: number) => ['--customers', String(customers), '--max-limit', '1000'];

/** @param requests file of the requests that a sweep has sent, which a bare loop sends again */
async function marksOf(kind: 'sweep' | 'bare', url: string, records: number, requests = ''): Promise<Mark[]> {
  const args = [...tsx, 'tests/bench/sweep-process.ts', kind, url, String(records), requests];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 20 });
  return JSON.parse(stdout);
}

const lastOf = (marks: Mark[]) => marks.at(-1) ?? { records: 0, seconds: 0, cpuSeconds: 0, residentMb: 0 };

const ratiosOf = (pairs: Pair[], of: (mark: Mark) => number) =>
  median(pairs.map(({ sweep, bare }) => of(sweep) / of(bare)));

interface Pair {
  bare: Mark;
  sweep: Mark;
}

/** Sweeps beside bare loops of the same requests, in turn. */
async function pairsOf(records: number, rounds: number): Promise<Pair[]> {
  const requests = path.join(mkdtempSync(path.join(tmpdir(), 'bench-requests-')), 'requests.json');
  return withMock(mockOf(records), async (url) => {
    const pairs: Pair[] = [];
    for (let round = 0; round < rounds; round += 1)
      pairs.push({
        sweep: lastOf(await marksOf('sweep', url, records, requests)),
        bare: lastOf(await marksOf('bare', url, records, requests)),
      });
    return pairs;
  });
}

async function againstBareLoop(): Promise<Figure[]> {
  const pairs = await pairsOf(100_000, 15);
  const name = 'sweep of 100,000 ÷ bare loop';
  return [
    {
      name: 'sweep of 100,000 customers',
      value: median(pairs.map(({ sweep }) => sweep.seconds)),
      unit: 's',
    },
    { name, value: ratiosOf(pairs, ({ seconds }) => seconds), unit: 'ratio', target: 1.25 },
    {
      name: `${name}, processor time`,
      value: ratiosOf(pairs, ({ cpuSeconds }) => cpuSeconds),
      unit: 'ratio',
    },
  ];
}

const [fewest, records] = [10_000, 1_000_000];

const markAt = (marks: Mark[], count: number): Mark =>
  marks.find((mark) => mark.records >= count) ?? lastOf(marks);

const microseconds = (from: Mark, to: Mark) =>
  (1e6 * (to.cpuSeconds - from.cpuSeconds)) / (to.records - from.records);

/** Processor time per record of the first tenth of a long sweep, and of the rest. */
function timesPerRecord(marks: Mark[]): { early: number; late: number } {
  const between = markAt(marks, records / 10);
  return {
    early: microseconds(markAt(marks, fewest), between),
    late: microseconds(between, markAt(marks, records)),
  };
}

const growth = (marks: Mark[]): number => {
  const { early, late } = timesPerRecord(marks);
  return late / early;
};

/** Of three long sweeps, the one whose time per record has grown neither most nor least: the machine may change its speed. */
async function longSweep(): Promise<Mark[]> {
  return withMock(mockOf(records), async (url) => {
    const sweeps: Mark[][] = [];
    for (let round = 0; round < 3; round += 1) sweeps.push(await marksOf('sweep', url, records));
    return sweeps.sort((one, other) => growth(one) - growth(other))[1] ?? [];
  });
}

/** Memory and time per record of a long sweep. */
async function overLength(): Promise<Figure[]> {
  const marks = await longSweep();
  const residentMb = (count: number) => markAt(marks, count).residentMb;
  const { early, late } = timesPerRecord(marks);
  return [
    ...[1000, fewest, 100_000, records].map(
      (count): Figure => ({
        name: `resident memory after ${number(count)} customers`,
        value: residentMb(count),
        unit: 'MB',
      }),
    ),
    {
      name: 'memory after 1,000,000 less that after 10,000',
      value: residentMb(records) - residentMb(fewest),
      unit: 'MB',
      target: 60,
    },
    { name: 'processor time per record, from 10,000 to 100,000', value: early, unit: 'µs' },
    { name: 'processor time per record, from 100,000 to 1,000,000', value: late, unit: 'µs' },
    { name: 'time per record late ÷ early', value: late / early, unit: 'ratio', target: 1.1 },
  ];
}

/** Figures of sweeps. */
export const sweepFigures = async (): Promise<Figure[]> => [
  ...(await againstBareLoop()),
  ...(await overLength()),
];
