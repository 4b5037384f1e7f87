import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, platform, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createPopulation } from '../../../mock/population.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { requirementsFor } from '../../../src/verdict/evaluate.ts';
import { writeRecording } from './recording.ts';
import type { Cost } from './task.ts';

/*
 * `npm run dev:bench` measures what the suite takes, each side of a ratio in turn, and prints a table. It takes less than five
 * minutes of a machine that does nothing else, and writes below a temporary folder alone.
 */

interface Figure {
  name: string;
  value: number;
  unit?: string;
  /** What must be reached. */
  goal?: string;
}

const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
const tsx = ['--import', 'tsx'];
const run = promisify(execFile);

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

/** The value below which a quarter lies: what else the machine does makes times longer, never shorter. */
const quarter = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 2] ?? 0;

/** A mock in a process of its own, so that what it takes is not taken for the suite's. */
async function withMock<T>(args: string[], use: (url: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [...tsx, 'tests/self/mock/main.ts', ...args], {
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

/** Seconds until a Playwright run has ended, or has printed something. */
async function playwrightSeconds(
  args: string[],
  env: Record<string, string>,
  until?: RegExp,
): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, ['node_modules/@playwright/test/cli.js', 'test', ...args], {
    env: { ...process.env, REPORTS_DIR: path.join(folder, 'reports'), ...env },
  });
  let said = '';
  let seen: number | undefined;
  for await (const text of child.stdout.setEncoding('utf8')) {
    said += text;
    if (!until && /^ +\d+ failed$/m.test(said)) throw new Error('a run that must pass has failed');
    if (until?.test(said)) seen ??= performance.now();
  }
  if (until && seen === undefined) throw new Error(`nothing in what the run printed matches ${until}`);
  return ((seen ?? performance.now()) - start) / 1000;
}

/** Measures whole runs beside bare Playwright: as many tests, empty, and as many tests that send and assert as much. */
async function wholeRuns(): Promise<Figure[]> {
  const requirements = requirementsFor(loadContract(), readConfiguration().target).length;
  const empty = { BARE_TESTS: String(requirements) };
  const rows: { empty: number; bare: number; green: number; red: number }[] = [];
  await withMock(['--fault', 'getCard: HTTP 201'], async (url) => {
    const mock = { BASE_URL: 'mock', CI: '', MAX_RPS: '1000' };
    const BARE_URL = `${url}/svc/payment/api/v1/openapi/customers`;
    const sending = { ...empty, BARE_URL, BARE_REQUESTS: String(await countRequests(mock)) };
    for (let round = 0; round < 5; round += 1)
      rows.push({
        empty: await playwrightSeconds(['--config', 'tests/self/bench'], empty),
        bare: await playwrightSeconds(['--config', 'tests/self/bench'], sending),
        green: await playwrightSeconds([], mock),
        red: await playwrightSeconds([], { ...mock, BASE_URL: url }, /getCard\/http\/status/),
      });
  });
  const seconds = (key: keyof (typeof rows)[number]) => median(rows.map((row) => row[key]));
  const ratio = (over: keyof (typeof rows)[number], under: keyof (typeof rows)[number]) =>
    median(rows.map((row) => row[over] / row[under]));
  return [
    { name: 'bare Playwright, as many empty tests', value: seconds('empty'), unit: 's' },
    { name: 'bare Playwright, as many tests, requests and assertions', value: seconds('bare'), unit: 's' },
    { name: 'whole run against the mock', value: seconds('green'), unit: 's' },
    { name: 'whole run ÷ empty tests', value: ratio('green', 'empty') },
    {
      name: 'whole run ÷ bare Playwright with as many requests and assertions',
      value: ratio('green', 'bare'),
      goal: '≤ 1.3',
    },
    {
      name: 'first violation of a red run ÷ a green run',
      value: ratio('red', 'green'),
      goal: '≤ 1.3',
    },
  ];
}

/** Runs the suite once, and counts the requests of its report. */
async function countRequests(env: Record<string, string>): Promise<number> {
  await playwrightSeconds([], env);
  const report = JSON.parse(readFileSync(path.join(folder, 'reports/conformance.json'), 'utf8'));
  return report.requests;
}

/** Judging a page of a thousand customers by everything, beside `JSON.parse` of its text. */
function page(): Figure[] {
  const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
  const customers = createPopulation({ customers: 2000 }).list('all', 500, 1500);
  const body = Buffer.from(JSON.stringify({ code: 200, message: 'Success', data: { customers } }));
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body };
  const tasks = {
    parse: () => JSON.parse(body.toString()),
    judge: () => judge({ operation, parameters: {}, answer }),
  };
  const taken = { parse: [] as number[], judge: [] as number[] };
  for (let round = -80; round < 80; round += 1)
    for (const name of ['parse', 'judge'] as const) {
      const start = performance.now();
      tasks[name]();
      if (round >= 0) taken[name].push(performance.now() - start);
    }
  const [parse, judged] = [quarter(taken.parse), quarter(taken.judge)];
  return [
    { name: 'JSON.parse of a page of 1,000 customers', value: parse, unit: 'ms' },
    { name: 'judging a page, everything ÷ JSON.parse', value: judged / parse, goal: '≤ 3' },
  ];
}

/** What a process takes for a run with these variables, or for JSON.parse of a file. */
async function costOf(variables: Record<string, string>, file?: string): Promise<Cost> {
  const all = JSON.stringify({ REPORTS_DIR: path.join(folder, 'task'), ...variables });
  rmSync(path.join(folder, 'task'), { recursive: true, force: true });
  const args = [...tsx, 'tests/self/bench/task.ts', all, ...(file ? [file] : [])];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

/** Of three, the one in the middle: the machine may change its speed. */
async function middle(cost: () => Promise<Cost>): Promise<Cost> {
  const costs = [await cost(), await cost(), await cost()];
  return costs.sort((one, other) => one.cpuSeconds - other.cpuSeconds)[1] as Cost;
}

async function sweeps(): Promise<Figure[]> {
  const sweepOf = (customers: number, measure = middle) =>
    withMock(['--customers', String(customers), '--max-limit', '1000'], (BASE_URL) =>
      measure(() => costOf({ BASE_URL, SWEEP: 'all', PROBES: 'off' })),
    );
  const once = (cost: () => Promise<Cost>) => cost();
  const [few, some, many] = [await sweepOf(10_000), await sweepOf(100_000), await sweepOf(1_000_000, once)];
  const early = (some.cpuSeconds - few.cpuSeconds) / 90_000;
  const late = (many.cpuSeconds - some.cpuSeconds) / 900_000;
  return [
    {
      name: 'customers that a sweep of 1,000,000 judges in a second',
      value: 1e6 / many.seconds,
      goal: '≥ 20,000',
    },
    { name: 'memory of a sweep of 1,000,000', value: many.peakMb, unit: 'MB', goal: '≤ 500 MB' },
    { name: 'more than that of 10,000', value: many.peakMb - few.peakMb, unit: 'MB', goal: '≤ 350 MB' },
    { name: 'time per record late ÷ early', value: late / early, goal: '≤ 1.1' },
  ];
}

async function recordings(): Promise<Figure[]> {
  const file = path.join(folder, 'session.har');
  // No string holds a gibibyte.
  writeRecording(file, 100);
  const parsing = await middle(() => costOf({}, file));
  writeRecording(file, 1024);
  const judging = await costOf({ TRAFFIC: file });
  return [
    { name: 'memory for 1 GiB of recordings', value: judging.peakMb, unit: 'MB', goal: '≤ 300 MB' },
    {
      name: 'speed of judging it, of that of JSON.parse',
      value: (parsing.seconds / 100) * (1024 / judging.seconds),
      goal: '≥ 0.12',
    },
  ];
}

const textOf = ({ value, unit }: Figure) =>
  `${value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 0 : 2)}${unit ? ` ${unit}` : ''}`;

try {
  const figures = [...(await wholeRuns()), ...page(), ...(await sweeps()), ...(await recordings())];
  const about = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()}`;
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, ${about}, Node ${process.version}`,
    ...['', '| measured | figure | to reach |', '| --- | ---: | --- |'],
    ...figures.map((figure) => `| ${figure.name} | ${textOf(figure)} | ${figure.goal ?? ''} |`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
