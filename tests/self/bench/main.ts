import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, platform, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { selectRequirements } from '../../../src/verdict/evaluate.ts';
import { createPopulation } from '../mock/population.ts';
import { writeRecording } from './recording.ts';
import type { Cost } from './task.ts';

/*
 * `npm run dev:bench` measures time and memory of the suite, alternating between both sides of a ratio, and prints a table. It takes
 * less than five minutes on an idle machine, and writes only below a temporary folder.
 */

interface Figure {
  name: string;
  value: number;
  unit?: string;
  goal?: string;
}

const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
const tsx = ['--import', 'tsx'];
const run = promisify(execFile);

const computeMedian = (values: number[]): number =>
  values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;

const computeLowerQuartile = (durations: number[]): number =>
  durations.toSorted((first, second) => first - second)[durations.length >> 2] ?? 0;

/** Starts a mock in a child process, calls `use` with its URL, and stops it. */
async function withMock<T>(mockArgs: string[], use: (url: string) => Promise<T>): Promise<T> {
  // A separate process, so that processor time and memory of the mock are not measured.
  const child = spawn(process.execPath, [...tsx, 'tests/self/mock/main.ts', ...mockArgs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let printedText = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      printedText += text;
      const [, url] = /export BASE_URL=(\S+)\n/.exec(printedText) ?? [];
      if (url) return await use(url);
    }
    throw new Error('the mock did not start');
  } finally {
    child.kill();
    await once(child, 'close').catch(() => undefined);
  }
}

async function runPlaywright(
  args: string[],
  env: Record<string, string>,
  onOutput: (printedText: string) => void = () => {},
): Promise<number | null> {
  const child = spawn(process.execPath, ['node_modules/@playwright/test/cli.js', 'test', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, REPORTS_DIR: path.join(folder, 'reports'), ...env },
  });
  const closed = once(child, 'close');
  let printedText = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    printedText += text;
    onOutput(printedText);
  }
  await closed;
  return child.exitCode;
}

async function measureRunSeconds(args: string[], env: Record<string, string>): Promise<number> {
  const start = performance.now();
  const status = await runPlaywright(args, env);
  if (status !== 0) throw new Error(`a run that must pass ended with status ${status}`);
  return (performance.now() - start) / 1000;
}

async function measureSecondsUntil(pattern: RegExp, env: Record<string, string>): Promise<number> {
  const start = performance.now();
  let matchedAt: number | undefined;
  await runPlaywright([], env, (printedText) => {
    if (pattern.test(printedText)) matchedAt ??= performance.now();
  });
  if (matchedAt === undefined) throw new Error(`nothing in what the run printed matches ${pattern}`);
  return (matchedAt - start) / 1000;
}

interface RoundSeconds {
  /** Playwright alone, with an empty test for each requirement. */
  empty: number;
  /** Playwright alone, with as many requests and assertions as the suite. */
  bare: number;
  /** Playwright alone, as in `bare`, with at most 10 requests a second. */
  bareAt10: number;
  /** Run of the suite against a conforming mock. */
  green: number;
  greenAt10: number;
  /** Run of the suite against a faulty mock, until the run prints the first violation. */
  red: number;
}

/** Measures each kind of run once in each of five rounds. */
async function measureRounds(): Promise<RoundSeconds[]> {
  const faultyMockArgs = ['--fault', 'getCard: HTTP 201'];
  return withMock(faultyMockArgs, async (faultyMockUrl) => {
    const environments = await createRunEnvironments(faultyMockUrl);
    const rounds: RoundSeconds[] = [];
    // Alternates between the kinds of run, so that a slow phase of the machine affects all of them.
    for (let round = 0; round < 5; round += 1) rounds.push(await measureRound(environments));
    return rounds;
  });
}

async function createRunEnvironments(
  faultyMockUrl: string,
): Promise<Record<'empty' | 'bare' | 'green' | 'red', Record<string, string>>> {
  const green = { BASE_URL: 'mock', CI: '', MAX_RPS: '1000' };
  const requirementCount = selectRequirements(loadContract(), readConfiguration().target).length;
  const requestCount = await runAndCountRequests(green);
  const empty = { BARE_TESTS: String(requirementCount) };
  // The fault of the mock is in getCard, so this URL of listCustomers conforms.
  const bare = {
    ...empty,
    BARE_URL: `${faultyMockUrl}/svc/payment/api/v1/openapi/customers`,
    BARE_REQUESTS: String(requestCount),
  };
  const cardIds = knownIdentifiers.CARD_IDS ?? [];
  const red = { ...green, BASE_URL: faultyMockUrl, CARD_IDS: cardIds.join() };
  return { empty, bare, green, red };
}

async function measureRound({
  empty,
  bare,
  green,
  red,
}: Awaited<ReturnType<typeof createRunEnvironments>>): Promise<RoundSeconds> {
  const bareArgs = ['--config', 'tests/self/bench'];
  const firstViolation = /✗ responds with HTTP 200/;
  return {
    empty: await measureRunSeconds(bareArgs, empty),
    bare: await measureRunSeconds(bareArgs, bare),
    bareAt10: await measureRunSeconds(bareArgs, { ...bare, BARE_INTERVAL_MS: '100' }),
    green: await measureRunSeconds([], green),
    greenAt10: await measureRunSeconds([], { ...green, MAX_RPS: '10' }),
    red: await measureSecondsUntil(firstViolation, red),
  };
}

async function measureWholeRuns(): Promise<Figure[]> {
  const rounds = await measureRounds();
  const seconds = (run: keyof RoundSeconds) => computeMedian(rounds.map((round) => round[run]));
  const ratio = (numerator: keyof RoundSeconds, denominator: keyof RoundSeconds) =>
    computeMedian(rounds.map((round) => round[numerator] / round[denominator]));
  return [
    { name: 'bare Playwright, as many empty tests', value: seconds('empty'), unit: 's' },
    { name: 'bare Playwright, as many tests, requests and assertions', value: seconds('bare'), unit: 's' },
    { name: 'whole run against the mock', value: seconds('green'), unit: 's' },
    { name: 'whole run ÷ empty tests', value: ratio('green', 'empty'), goal: '≤ 1.3' },
    {
      name: 'whole run ÷ bare Playwright with as many requests and assertions',
      value: ratio('green', 'bare'),
      goal: '≤ 1.3',
    },
    {
      name: 'whole run ÷ bare Playwright, both at 10 requests a second (the default of MAX_RPS)',
      value: ratio('greenAt10', 'bareAt10'),
      goal: '≤ 1.3',
    },
    { name: 'first violation of a red run ÷ a green run', value: ratio('red', 'green'), goal: '≤ 1.3' },
  ];
}

async function runAndCountRequests(env: Record<string, string>): Promise<number> {
  await measureRunSeconds([], env);
  const report = JSON.parse(readFileSync(path.join(folder, 'reports/conformance.json'), 'utf8'));
  return report.requests;
}

/** Compares judging a page of 1,000 customers with `JSON.parse` of that page. */
function measurePage(): Figure[] {
  const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
  const [start, end] = [500, 1500];
  const customers = createPopulation({ customers: 2000 }).list('all', start, end);
  const body = Buffer.from(JSON.stringify({ code: 200, message: 'Success', data: { customers } }));
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body };
  const parseDurations: number[] = [];
  const judgeDurations: number[] = [];
  for (let round = 0; round < 160; round += 1) {
    const parseMs = measureMs(() => JSON.parse(body.toString()));
    const judgeMs = measureMs(() => judge({ operation, parameters: {}, response }));
    // The first half of the rounds only warms up, so that V8 has compiled the code.
    if (round < 80) continue;
    parseDurations.push(parseMs);
    judgeDurations.push(judgeMs);
  }
  // Other programs on the machine usually change the lower quartile less than the median.
  const parseMs = computeLowerQuartile(parseDurations);
  const judgeMs = computeLowerQuartile(judgeDurations);
  return [
    { name: 'JSON.parse of a page of 1,000 customers', value: parseMs, unit: 'ms' },
    { name: 'judging a page, everything ÷ JSON.parse', value: judgeMs / parseMs, goal: '≤ 3' },
  ];
}

function measureMs(task: () => unknown): number {
  const start = performance.now();
  task();
  return performance.now() - start;
}

const taskFolder = path.join(folder, 'task');

const measureSuiteCost = (env: Record<string, string>): Promise<Cost> =>
  measureTaskCost(JSON.stringify({ REPORTS_DIR: taskFolder, ...env }));
const measureParseCost = (jsonFile: string): Promise<Cost> => measureTaskCost('{}', jsonFile);
async function measureTaskCost(...taskArgs: string[]): Promise<Cost> {
  rmSync(taskFolder, { recursive: true, force: true });
  const args = [...tsx, 'tests/self/bench/task.ts', ...taskArgs];
  const { stdout } = await run(process.execPath, args, { maxBuffer: 2 ** 28 });
  const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
  return JSON.parse(lastLine);
}

async function measureMedianCost(measure: () => Promise<Cost>): Promise<Cost> {
  const costs = [await measure(), await measure(), await measure()];
  const [, medianCost] = costs.sort((first, second) => first.cpuSeconds - second.cpuSeconds);
  return medianCost as Cost;
}

function measureSweep(customerCount: number): Promise<Cost> {
  const mockArgs = ['--customers', String(customerCount), '--max-limit', '1000'];
  return withMock(mockArgs, (BASE_URL) => measureSuiteCost({ BASE_URL, SWEEP: 'all', PROBES: 'off' }));
}

async function measureSweeps(): Promise<Figure[]> {
  const tenThousand = await measureMedianCost(() => measureSweep(10_000));
  const hundredThousand = await measureMedianCost(() => measureSweep(100_000));
  const million = await measureSweep(1_000_000);
  const cpuSecondsPerEarlyCustomer =
    (hundredThousand.cpuSeconds - tenThousand.cpuSeconds) / (100_000 - 10_000);
  const cpuSecondsPerLateCustomer = (million.cpuSeconds - hundredThousand.cpuSeconds) / (1_000_000 - 100_000);
  return [
    {
      name: 'customers that a sweep of 1,000,000 judges in a second',
      value: 1e6 / million.seconds,
      goal: '≥ 20,000',
    },
    { name: 'memory of a sweep of 1,000,000', value: million.peakMb, unit: 'MB', goal: '≤ 500 MB' },
    {
      name: 'memory beyond that of a sweep of 10,000',
      value: million.peakMb - tenThousand.peakMb,
      unit: 'MB',
      goal: '≤ 350 MB',
    },
    {
      name: 'time per record late ÷ early',
      value: cpuSecondsPerLateCustomer / cpuSecondsPerEarlyCustomer,
      goal: '≤ 1.1',
    },
  ];
}

async function measureRecordings(): Promise<Figure[]> {
  const file = path.join(folder, 'session.har');
  // `JSON.parse` gets a smaller file, because a string of Node cannot hold a gibibyte.
  const parsedMebibytes = 100;
  writeRecording(file, parsedMebibytes);
  const parsing = await measureMedianCost(() => measureParseCost(file));
  const judgedMebibytes = 1024;
  writeRecording(file, judgedMebibytes);
  const judging = await measureSuiteCost({ TRAFFIC: file });
  const parsedMebibytesPerSecond = parsedMebibytes / parsing.seconds;
  const judgedMebibytesPerSecond = judgedMebibytes / judging.seconds;
  return [
    { name: 'memory for 1 GiB of recordings', value: judging.peakMb, unit: 'MB', goal: '≤ 300 MB' },
    {
      name: 'speed of judging recordings ÷ speed of JSON.parse',
      value: judgedMebibytesPerSecond / parsedMebibytesPerSecond,
      goal: '≥ 0.12',
    },
  ];
}

function formatFigure({ value, unit }: Figure): string {
  const decimals = value >= 10 ? 0 : 2;
  const number = value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(decimals);
  return unit ? `${number} ${unit}` : number;
}

try {
  const figures = [
    ...(await measureWholeRuns()),
    ...measurePage(),
    ...(await measureSweeps()),
    ...(await measureRecordings()),
  ];
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()}`;
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, ${machine}, Node ${process.version}`,
    ...['', '| measured | figure | goal |', '| --- | ---: | --- |'],
    ...figures.map((figure) => `| ${figure.name} | ${formatFigure(figure)} | ${figure.goal ?? ''} |`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
