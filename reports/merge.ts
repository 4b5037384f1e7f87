import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { entriesFor } from '../schemas/contract/ledger.ts';
import type { Counts } from '../schemas/judge/judged.ts';
import type { Target } from '../src/client/target.ts';
import { loadOperationRequests } from '../src/operations/operation-file.ts';
import type { Observation } from '../src/redact/observation.ts';
import { fromCaller } from '../src/run/caller-folder.ts';
import { removeReports } from '../src/run/reports-dir.ts';
import { readResults } from '../src/run/results.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { acrossShards, type SweptShard, sumOfSweeps } from '../src/sweep/merge.ts';
import type { SweepResult } from '../src/sweep/summary.ts';
import type { Traffic } from '../src/traffic/traffic-summary.ts';
import { withChanges } from '../src/verdict/changes.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { RequestMade } from '../src/verdict/requests-made.ts';
import type { Run, RunResults } from '../src/verdict/results.ts';
import { sumOfCounts, Totals } from '../src/verdict/totals.ts';
import { renderAllure } from './allure-report.ts';
import { fillOutput, runCommand } from './command.ts';
import { buildReport, type Conformance, type ReportedShard, withVerdict } from './conformance.ts';
import { summaryOf } from './lines.ts';
import { lastWholeRun, readRunIn } from './read-conformance.ts';
import { writeReports } from './write.ts';

/** What a shard has left: its report, and what that rests on. */
interface StoredShard {
  folder: string;
  shard: ReportedShard;
  report: Conformance;
  results: RunResults & { run: Run };
}

/** All of them, in their order. */
type Shards = [StoredShard, ...StoredShard[]];

const usage = 'usage: npm run merge -- DIR... --output DIR   (DIR: REPORTS_DIR of a shard)';

/** The folder that is written to, and those of the shards. */
function readFolders(): [output: string, ...shards: string[]] {
  const options = { output: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (!values.output || positionals.length === 0) throw new Error(usage);
  const [output = '', ...folders] = [values.output, ...positionals].map((one) =>
    path.resolve(fromCaller(one)),
  );
  if (folders.includes(output)) throw new Error('--output must be another folder than those of the shards');
  return [output, ...folders];
}

/** @throws an error for people when a folder is of no shard. */
function readShard(folder: string): StoredShard {
  const report = readRunIn(folder);
  const { shard } = report;
  if (!shard) throw new Error(`${folder} is of a whole run, not of a shard (--shard=i/n)`);
  const { run, ...results } = readResults(folder);
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
function assertOneRun({ hash }: Contract, shards: Shards): void {
  for (const [word, of] of same) {
    const values = [...new Set(shards.map(of))];
    if (values.length > 1) throw new Error(`the shards are of different ${word}: ${values.join(', ')}`);
  }
  const numbers = shards.map(({ shard }) => shard.current);
  const twice = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (twice) throw new Error(`shard ${twice} is given twice`);
  const other = shards.find(({ report }) => report.contract !== hash)?.report.contract;
  if (other) throw new Error(`the shards were judged by contract ${other}, but spec/ is contract ${hash}`);
}

/** Why nothing sure can be said of all shards together, in sentences. */
function lackingIn(shards: Shards): string[] {
  const { total } = shards[0].shard;
  const present = shards.map(({ shard }) => shard.current);
  const numbers = Array.from({ length: total }, (_, index) => index + 1);
  const missing = numbers.filter((one) => !present.includes(one));
  const unfinished = shards
    .filter(({ shard }) => shard.complete === false)
    .map(({ shard, report }) => `shard ${shard.current} is incomplete: ${report.notes[0] ?? ''}`);
  if (missing.length === 0) return unfinished;
  return [`missing shards: ${missing.join(', ')} of ${total}; name the folders of all shards`, ...unfinished];
}

/** What one run would have left. */
async function mergedResults(contract: Contract, shards: Shards): Promise<RunResults> {
  const all = shards.map(({ results }) => results);
  const { judgedBefore } = shards[0].results;
  const { sweeps, observations } = await mergedSweeps(contract, shards);
  const traffic = all.flatMap((one) => one.traffic ?? []);
  const found = [...withoutRepeatedOperations(all, 'observations'), ...observations];
  return {
    run: all.map(({ run }) => run).reduce(sumOfRuns),
    observations: new Totals(found).observations,
    behaviour: all.find(({ behaviour }) => behaviour)?.behaviour,
    judgedBefore,
    requests: withoutRepeatedOperations(all, 'requests'),
    ...(sweeps.length > 0 ? { sweeps } : {}),
    ...(traffic.length > 0 ? { traffic: traffic.reduce(sumOfTraffic) } : {}),
  };
}

/**
 * Collects observations, or requests, of all shards. Several shards may have requested an operation, such as a list that lookups
 * are compared with: it counts once. Recordings and sweeps are divided, and add up.
 */
function withoutRepeatedOperations<Key extends 'observations' | 'requests'>(all: RunResults[], key: Key) {
  const counted = new Set<string>();
  return all.flatMap((results) => {
    const { operations } = results;
    const list = (results[key] ?? []) as (Observation & RequestMade)[];
    const kept = list.filter(
      ({ operation, swept, probe }) =>
        operations === undefined ||
        swept ||
        probe ||
        (operations.includes(operation) && !counted.has(operation)),
    );
    for (const id of operations ?? []) counted.add(id);
    return kept as NonNullable<RunResults[Key]>[number][];
  });
}

/** Each shard has a trace of its own, which the ids of its findings name. */
const sumOfRuns = ({ trace: _, ...one }: Run, more: Run): Run => ({
  ...one,
  startedAt: [one.startedAt, more.startedAt].sort()[0] ?? '',
  requests: one.requests + more.requests,
  repeated: sumOfCounts(one.repeated, more.repeated),
});

function sumOfTraffic(one: Traffic, more: Traffic): Traffic {
  const times = (key: 'from' | 'until') => [one[key] ?? more[key], more[key] ?? one[key]].sort();
  const [[from], [, until]] = [times('from'), times('until')];
  return {
    ...one,
    ...sumOfCounts(countsIn(one), countsIn(more)),
    ...(from && until ? { from, until } : {}),
    sources: [...one.sources, ...more.sources],
    skipped: sumOfCounts(one.skipped, more.skipped),
    broken: [...one.broken, ...more.broken],
  };
}

/** How many, of what is counted. Nothing that was stored is undefined. */
const countsIn = ({ sources, skipped, from, until, broken, ...counts }: Traffic) => counts as Counts;

/** Sweeps of the same records are one. */
async function mergedSweeps(contract: Contract, shards: Shards) {
  const parts: SweptShard[] = shards.flatMap(({ results: { sweeps = [] }, folder }) =>
    sweeps.map((result) => ({ result, folder })),
  );
  const { target, startedAt } = shards[0].results.run;
  const entries = entriesFor(contract.ledger, target, startedAt);
  const [sweeps, observations]: [SweepResult[], Observation[]] = [[], []];
  for (const journal of new Set(parts.map(({ result }) => result.journal))) {
    const own = parts.filter(({ result }) => result.journal === journal);
    const [first] = own;
    const operation = contract.operations.find(({ id }) => id === first?.result.operation);
    const list = operation && (await loadOperationRequests(operation)).sweptList;
    const merged =
      operation && list && first?.result.list
        ? await acrossShards(entries, operation, list, own)
        : { result: sumOfSweeps(own.map(({ result }) => result)), observations: [] };
    const { shard: _, ...result } = merged.result;
    sweeps.push(result);
    observations.push(...merged.observations);
  }
  return { sweeps, observations };
}

/** The configuration of the shards, as far as a verdict depends on it. */
function targetOf(shards: Shards): Target {
  const [{ report, results }] = shards;
  const { run, traffic, sweeps } = results;
  return {
    ...readConfiguration({}, '/nonexistent').target,
    ...{ name: report.target, profile: report.profile, isMock: report.mock },
    ...{ sweep: sweeps ? 'all' : 'off', traffic: traffic?.sources },
    minCoverage: run.minCoverage,
    failOn: run.failOn,
    record: shards.some((one) => one.report.gates.some(({ address }) => address === 'run/record')),
  };
}

/** The report on all shards together. */
async function mergedReport(contract: Contract, shards: Shards): Promise<Conformance> {
  const target = targetOf(shards);
  const results = evaluate(contract, target, await mergedResults(contract, shards));
  const reports = shards.map(({ report }) => report);
  const endedAt = Math.max(...reports.map((one) => Date.parse(one.startedAt) + one.durationMs));
  const failed = reports.flatMap((one) => withVerdict(one, 'error'));
  const report = buildReport(
    {
      ...{ contract, target, results },
      addresses: shards.find(({ shard }) => shard.selected)?.shard.selected ?? [],
      failed: new Set(failed.map(({ address }) => address)),
      problems: lackingIn(shards),
      startedAt: new Date(),
    },
    new Date(endedAt),
  );
  return withChanges(report, lastWholeRun(report, shards[0].folder));
}

await runCommand('merge', usage, async () => {
  const [output, ...folders] = readFolders();
  const shards = folders.map(readShard).sort((a, b) => a.shard.current - b.shard.current) as Shards;
  const contract = loadContract(readConfiguration().target.callersLedger);
  assertOneRun(contract, shards);
  // The verdict of an earlier merge would be taken for this one's.
  removeReports(output);
  const conformance = await mergedReport(contract, shards);
  fillOutput('--output', output, () => {
    const results = (folder: string) => path.join(folder, 'allure-results');
    for (const folder of folders.filter((one) => existsSync(results(one))))
      cpSync(results(folder), results(output), { recursive: true });
    writeReports(contract, conformance, output);
    // Allure reads what it says of the run; the page links to it, where it is there.
    renderAllure(output, conformance.startedAt);
    writeReports(contract, conformance, output);
  });
  print(summaryOf(conformance, output));
  process.exitCode = conformance.verdict === 'pass' ? 0 : 1;
});
