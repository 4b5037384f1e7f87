import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { entriesFor } from '../schemas/contract/ledger.ts';
import { exchangesOf } from '../src/ask/session.ts';
import type { Target } from '../src/client/target.ts';
import type { Observation } from '../src/redact/observation.ts';
import { fromCaller } from '../src/run/caller-folder.ts';
import { evaluateResults, readStoredResults } from '../src/run/results.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print, printError } from '../src/run/terminal.ts';
import { acrossShards, type SweptShard, sumOfSweeps } from '../src/sweep/merge.ts';
import type { SweepResult } from '../src/sweep/summary.ts';
import type { Traffic } from '../src/traffic/traffic-summary.ts';
import { withChanges } from '../src/verdict/changes.ts';
import type { Run, RunResults } from '../src/verdict/results.ts';
import { sumOfCounts, Totals } from '../src/verdict/totals.ts';
import { buildReport, type Conformance, type ReportedShard, withVerdict } from './conformance.ts';
import { fillOutput, type Output } from './output.ts';
import { lastWholeRun } from './previous.ts';
import { readConformance } from './read-conformance.ts';
import { summaryOf } from './summary.ts';
import { reportFiles, writeReports } from './write.ts';

/** What a shard has left: its report, and what that rests on. */
interface StoredShard {
  folder: string;
  shard: ReportedShard;
  report: Conformance;
  results: RunResults & { run: Run };
}

const usage = 'usage: npm run merge -- DIR... --output DIR   (DIR: REPORTS_DIR of a shard)';

function readCommand(args: string[]): { folders: string[]; output: Output } {
  const options = { output: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (!values.output || positionals.length === 0) throw new Error(usage);
  const [folder = '', ...folders] = [values.output, ...positionals].map((one) =>
    path.resolve(fromCaller(one)),
  );
  if (folders.includes(folder)) throw new Error('--output must be another folder than those of the shards');
  return { folders, output: { option: '--output', folder } };
}

/** @throws an error for people when a folder is of no shard. */
function readShard(folder: string): StoredShard {
  const file = path.join(folder, 'conformance.json');
  if (!existsSync(file))
    throw new Error(`${folder} holds no conformance.json: is it REPORTS_DIR of a shard that has ended?`);
  const report = readConformance(file);
  const { shard } = report;
  if (!shard) throw new Error(`${file} is of a whole run, not of a shard (--shard=i/n)`);
  const { run, ...results } = readStoredResults(folder);
  if (!run || results.problem)
    throw new Error(`${folder} holds no results of a run: merge needs the whole of REPORTS_DIR`);
  return { folder, shard, report, results: { ...results, run } };
}

/** What shards of one run have in common. */
const same: [word: string, of: (shard: StoredShard) => string | number][] = [
  ['targets', ({ report }) => (report.mock ? 'the embedded mock' : report.target)],
  ['profiles', ({ report }) => report.profile],
  ['contracts', ({ report }) => report.contract],
  ['versions of the suite', ({ report }) => report.suite],
  ['numbers of shards', ({ shard }) => shard.total],
];

/** @throws an error for people when shards are not of one run of this contract. */
function assertOneRun({ hash }: Contract, shards: StoredShard[]): void {
  for (const [word, of] of same) {
    const values = [...new Set(shards.map(of))];
    if (values.length > 1) throw new Error(`the shards are of different ${word}: ${values.join(', ')}`);
  }
  const numbers = shards.map(({ shard }) => shard.current);
  const twice = numbers.find((number, index) => number === numbers[index - 1]);
  if (twice) throw new Error(`shard ${twice} is given twice`);
  const contract = shards[0]?.report.contract;
  if (contract !== hash) throw new Error(`the shards are of contract ${contract}, and this is ${hash}`);
}

/** Why nothing sure can be said of all shards together, in sentences. */
function lackingIn(shards: StoredShard[]): string[] {
  const total = shards[0]?.shard.total ?? 0;
  const present = shards.map(({ shard }) => shard.current);
  const missing = Array.from({ length: total }, (_, index) => index + 1).filter(
    (one) => !present.includes(one),
  );
  const unfinished = shards.filter(({ shard }) => shard.complete === false);
  return [
    ...(missing.length > 0
      ? [`of ${total} shards, ${missing.join(', ')} are missing: give the folders of all`]
      : []),
    ...unfinished.map(
      ({ shard, report }) => `shard ${shard.current} did not come to its end: ${report.notes[0] ?? ''}`,
    ),
  ];
}

/** What one run would have left. */
async function mergedResults(contract: Contract, shards: StoredShard[]): Promise<RunResults> {
  const all = shards.map(({ results }) => results);
  const swept = await mergedSweeps(contract, shards);
  const traffic = all.flatMap((one) => one.traffic ?? []);
  const totals = new Totals(contract.operations);
  totals.merge([...all.flatMap(({ observations }) => observations), ...swept.observations]);
  return {
    run: all.map(({ run }) => run).reduce(sumOfRuns),
    observations: totals.list(),
    // The first one asks what the contract leaves open.
    behaviour: all[0]?.behaviour,
    judgedBefore: all[0]?.judgedBefore,
    requests: all.flatMap(({ requests = [] }) => requests),
    ...(swept.sweeps.length > 0 ? { sweeps: swept.sweeps } : {}),
    ...(traffic.length > 0 ? { traffic: traffic.reduce(sumOfTraffic) } : {}),
  };
}

/** Each shard has a trace of its own, which the ids of its findings name. */
const sumOfRuns = ({ trace: _, ...one }: Run, more: Run): Run => ({
  ...one,
  requests: one.requests + more.requests,
  repeated: sumOfCounts(one.repeated, more.repeated),
});

const sumOfTraffic = (one: Traffic, more: Traffic): Traffic => ({
  ...one,
  ...timesOf([one, more]),
  sources: [...one.sources, ...more.sources],
  exchanges: one.exchanges + more.exchanges,
  judged: one.judged + more.judged,
  skipped: sumOfCounts(one.skipped, more.skipped),
  broken: [...one.broken, ...more.broken],
});

/** The first and the last time of recordings, of those that tell. */
function timesOf(all: Traffic[]): Pick<Traffic, 'from' | 'until'> {
  const [from] = all.flatMap((one) => one.from ?? []).sort();
  const until = all
    .flatMap((one) => one.until ?? [])
    .sort()
    .at(-1);
  return { ...(from && { from }), ...(until && { until }) };
}

/** Sweeps of the same records are one. */
async function mergedSweeps(contract: Contract, shards: StoredShard[]) {
  const parts: SweptShard[] = shards.flatMap(({ results: { sweeps = [] }, folder }) =>
    sweeps.map((result) => ({ result, folder })),
  );
  const [sweeps, observations]: [SweepResult[], Observation[]] = [[], []];
  for (const journal of new Set(parts.map(({ result }) => result.journal))) {
    const own = parts.filter(({ result }) => result.journal === journal);
    const operation = contract.operations.find(({ id }) => id === own[0]?.result.operation);
    const list = operation && (await exchangesOf(operation)).sweptList;
    const merged =
      operation && list && own[0]?.result.list
        ? await acrossShards(entriesOf(contract, shards), operation, list, own)
        : { result: sumOfSweeps(own.map(({ result }) => result)), observations: [] };
    const { shard: _, ...result } = merged.result;
    sweeps.push(result);
    observations.push(...merged.observations);
  }
  return { sweeps, observations };
}

const entriesOf = ({ ledger }: Contract, [first]: StoredShard[]) =>
  entriesFor(ledger, first?.results.run.target ?? '', first?.results.run.startedAt.slice(0, 10) ?? '');

/** The configuration of the shards, as far as a verdict depends on it. */
function targetOf(shards: StoredShard[]): Target {
  const [{ report, results }] = shards as [StoredShard];
  const { run, traffic, sweeps } = results;
  const addresses = new Set(shards.flatMap(({ report: { gates } }) => gates.map(({ address }) => address)));
  return {
    ...readConfiguration({}, '/nonexistent').target,
    ...{ name: report.target, profile: report.profile, isMock: report.mock },
    ...{ sweep: sweeps ? 'all' : 'off', traffic: traffic?.sources },
    minCoverage: run.minCoverage ?? 0,
    undeclaredFields: run.undeclaredFields ?? 'report',
    unjudged: addresses.has('run/judged') ? 'fail' : 'report',
    failOnServerError: addresses.has('run/server-errors'),
    failOnDrift: addresses.has('run/drift'),
    record: addresses.has('run/record'),
  };
}

/** The report on all shards together. */
async function mergedReport(contract: Contract, shards: StoredShard[]): Promise<Conformance> {
  const target = targetOf(shards);
  const results = evaluateResults(contract, target, await mergedResults(contract, shards));
  const reports = shards.map(({ report }) => report);
  const startedAt = reports.map((one) => one.startedAt).sort()[0] ?? '';
  const endedAt = Math.max(...reports.map((one) => Date.parse(one.startedAt) + one.durationMs));
  const failed = reports.flatMap((one) => withVerdict(one, 'error'));
  const report = buildReport(
    {
      ...{ contract, target, results: { ...results, run: results.run && { ...results.run, startedAt } } },
      addresses: shards.find(({ shard }) => shard.selected)?.shard.selected ?? [],
      failed: new Set(failed.map(({ address }) => address)),
      problems: lackingIn(shards),
      startedAt: new Date(startedAt),
    },
    new Date(endedAt),
  );
  return withChanges(report, lastWholeRun(report, shards[0]?.folder ?? ''));
}

/** Renders the Allure report as `npm run conformance` does. */
function render(output: string): void {
  if (!existsSync(path.join(output, 'allure-results'))) return;
  const env = { ...process.env, REPORTS_DIR: output };
  const command = ['--import', 'tsx', 'reports/render.ts'];
  const { status } = spawnSync(process.execPath, command, { env, stdio: 'ignore' });
  if (status !== 0) throw new Error('the Allure report could not be rendered: see npm run render');
}

try {
  const { folders, output } = readCommand(process.argv.slice(2));
  const shards = folders.map(readShard).sort((one, other) => one.shard.current - other.shard.current);
  const contract = loadContract(readConfiguration().target.callersLedger);
  assertOneRun(contract, shards);
  // The verdict of an earlier merge would be taken for this one's.
  for (const name of [...reportFiles, 'allure-results', 'allure-report'])
    rmSync(path.join(output.folder, name), { recursive: true, force: true });
  const conformance = await mergedReport(contract, shards);
  fillOutput(output, () => {
    for (const folder of folders.filter((one) => existsSync(path.join(one, 'allure-results'))))
      cpSync(path.join(folder, 'allure-results'), path.join(output.folder, 'allure-results'), {
        recursive: true,
      });
    writeReports(contract, conformance, { reportsDir: output.folder });
  });
  render(output.folder);
  print(summaryOf(conformance, output.folder));
  process.exitCode = conformance.verdict === 'pass' ? 0 : 1;
} catch (error) {
  printError('merge', error);
  process.exitCode = 2;
}
