import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs';
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
import { buildReport, type Conformance } from './conformance.ts';
import { fillOutput, type Output } from './output.ts';
import { lastWholeRun, namedPrevious } from './previous.ts';
import { readConformance } from './read-conformance.ts';
import { summaryOf } from './summary.ts';
import { reportFiles, writeReports } from './write.ts';

/** Shards that cannot be merged; the message says why, for people. */
class MergeError extends Error {
  override name = 'MergeError';
}

/** What a shard has left: its report, and what that rests on. */
interface StoredShard {
  folder: string;
  number: number;
  total: number;
  report: Conformance;
  results: RunResults & { run: Run };
}

const usage = 'usage: npm run merge -- DIR... --output DIR   (DIR: REPORTS_DIR of a shard)';

function readCommand(args: string[]): { folders: string[]; output: Output } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { output: { type: 'string' } },
  });
  if (!values.output || positionals.length === 0) throw new MergeError(usage);
  const [output = '', ...folders] = [values.output, ...positionals].map((one) =>
    path.resolve(fromCaller(one)),
  );
  if (folders.some((folder) => placeOf(folder) === placeOf(output)))
    throw new MergeError('--output must be another folder than those of the shards');
  return { folders, output: { option: '--output', folder: output } };
}

/** Where a folder is, with all links resolved; one that is not there yet is none of the others. */
const placeOf = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : folder);

/** @throws {MergeError} when a folder is of no shard. */
function readShard(folder: string): StoredShard {
  const file = path.join(folder, 'conformance.json');
  if (!existsSync(file))
    throw new MergeError(`${folder} holds no conformance.json: is it REPORTS_DIR of a shard that has ended?`);
  const report = readConformance(file);
  if (!report.shard) throw new MergeError(`${file} is of a whole run, not of a shard (--shard=i/n)`);
  const { run, ...results } = readStoredResults(folder);
  if (!run || results.problem)
    throw new MergeError(`${folder} holds no results of a run: merge needs the whole of REPORTS_DIR`);
  const { current: number, total } = report.shard;
  return { folder, number, total, report, results: { ...results, run } };
}

/** What shards of one run have in common. */
const same: [word: string, of: (shard: StoredShard) => string | number][] = [
  ['targets', ({ report }) => (report.mock ? 'the embedded mock' : report.target)],
  ['profiles', ({ report }) => report.profile],
  ['contracts', ({ report }) => report.contract],
  ['numbers of shards', ({ total }) => total],
];

/** @throws {MergeError} when shards are not of one run of this contract. */
function assertOneRun({ hash }: Contract, shards: StoredShard[]): void {
  for (const [word, of] of same) {
    const values = [...new Set(shards.map(of))];
    if (values.length > 1) throw new MergeError(`the shards are of different ${word}: ${values.join(', ')}`);
  }
  const twice = shards.find(({ number }, index) => number === shards[index - 1]?.number);
  if (twice) throw new MergeError(`shard ${twice.number} is given twice`);
  const [first] = shards;
  if (first && first.report.contract !== hash)
    throw new MergeError(`the shards are of contract ${first.report.contract}, and this is ${hash}`);
}

/** Why nothing sure can be said of all shards together, in sentences. */
function lackingIn(shards: StoredShard[]): string[] {
  const total = shards[0]?.total ?? 0;
  const present = new Set(shards.map(({ number }) => number));
  const missing = Array.from({ length: total }, (_, index) => index + 1).filter((one) => !present.has(one));
  const unfinished = shards.filter(({ report }) => report.shard?.complete === false);
  return [
    ...(missing.length > 0
      ? [`of ${total} shards, ${missing.join(', ')} are missing: give the folders of all`]
      : []),
    ...unfinished.map(
      ({ number, report }) => `shard ${number} did not come to its end: ${report.notes[0] ?? ''}`,
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
    run: sumOfRuns(all.map(({ run }) => run)),
    observations: totals.list(),
    // The first one asks what the contract leaves open.
    behaviour: all[0]?.behaviour,
    requests: all.flatMap(({ requests = [] }) => requests),
    ...(swept.sweeps.length > 0 ? { sweeps: swept.sweeps } : {}),
    ...(traffic.length > 0 ? { traffic: traffic.reduce(sumOfTraffic) } : {}),
  };
}

function sumOfRuns(runs: Run[]): Run | undefined {
  const [first] = runs;
  const requests = runs.reduce((sum, run) => sum + run.requests, 0);
  return (
    first && {
      ...first,
      requests,
      repeated: runs.map(({ repeated }) => repeated).reduce((one, more) => sumOfCounts(one, more)),
    }
  );
}

function sumOfTraffic(one: Traffic, more: Traffic): Traffic {
  const [from, until] = [
    [one.from, more.from],
    [one.until, more.until],
  ].map((times) => times.filter((time) => time !== undefined).sort());
  return {
    sources: [...one.sources, ...more.sources],
    exchanges: one.exchanges + more.exchanges,
    judged: one.judged + more.judged,
    skipped: sumOfCounts(one.skipped, more.skipped),
    ...(from?.[0] ? { from: from[0] } : {}),
    ...(until?.[0] ? { until: until.at(-1) as string } : {}),
    broken: [...one.broken, ...more.broken],
  };
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
        ? await acrossShards(contract, entriesOf(contract, shards), operation, list, own)
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
  const [first] = shards as [StoredShard];
  const {
    report: { target: name, profile, mock = false },
    results: { run, traffic, sweeps },
  } = first;
  const has = (address: string) =>
    shards.some(({ report }) => report.gates?.some((gate) => gate.address === address));
  return {
    ...readConfiguration({}, '/nonexistent').target,
    ...{ name, profile, isMock: mock, sweep: sweeps ? 'all' : 'off', traffic: traffic?.sources },
    minCoverage: run.minCoverage ?? 0,
    undeclaredFields: run.undeclaredFields ?? 'report',
    failOnServerError: has('run/server-errors'),
    failOnDrift: has('run/drift'),
    record: has('run/record'),
  };
}

/** The report on all shards together. */
async function mergedReport(contract: Contract, shards: StoredShard[]): Promise<Conformance> {
  const target = targetOf(shards);
  const results = evaluateResults(contract, target, await mergedResults(contract, shards));
  const selected = shards.find(({ report }) => report.shard?.selected)?.report.shard?.selected;
  const startedAt = shards.map(({ report }) => report.startedAt).sort()[0] ?? '';
  const endedAt = Math.max(...shards.map(({ report }) => Date.parse(report.startedAt) + report.durationMs));
  const failed = shards.flatMap(({ report }) =>
    report.requirements.filter(({ verdict }) => verdict === 'error'),
  );
  const report = buildReport(
    {
      ...{ contract, target, results: { ...results, run: results.run && { ...results.run, startedAt } } },
      addresses: selected ?? [],
      failed: new Set(failed.map(({ address }) => address)),
      problems: lackingIn(shards),
      startedAt: new Date(startedAt),
    },
    new Date(endedAt),
  );
  const folder = shards[0]?.folder ?? '';
  const kept = path.join(folder, 'previous.json');
  return withChanges(report, existsSync(kept) ? namedPrevious(kept) : lastWholeRun(report, folder));
}

/** Renders the Allure report as `npm run conformance` does. */
function render(output: string): void {
  if (!existsSync(path.join(output, 'allure-results'))) return;
  const env = { ...process.env, REPORTS_DIR: output };
  const { status } = spawnSync('npm', ['run', '--silent', 'render'], { env, stdio: 'ignore' });
  if (status !== 0) throw new MergeError('the Allure report could not be rendered: see npm run render');
}

try {
  const { folders, output } = readCommand(process.argv.slice(2));
  const shards = folders.map(readShard).sort((one, other) => one.number - other.number);
  const contract = loadContract();
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
