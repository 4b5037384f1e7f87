import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { type LedgerEntry, selectEntries } from '../schemas/contract/ledger.ts';
import { groupBy } from '../schemas/group-by.ts';
import { omitUndefined } from '../schemas/json.ts';
import type { Counts } from '../schemas/judge/judged.ts';
import type { Target } from '../src/client/target.ts';
import { loadOperationRequests } from '../src/operations/operation-file.ts';
import type { Observation } from '../src/redact/observation.ts';
import { resolveCallerPath } from '../src/run/caller-folder.ts';
import { removeReports } from '../src/run/reports-dir.ts';
import { readResults } from '../src/run/results.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { mergeShardSweeps, type SweptShard, sumSweeps } from '../src/sweep/merge.ts';
import type { SweepResult } from '../src/sweep/summary.ts';
import type { Traffic } from '../src/traffic/traffic-summary.ts';
import { addChanges } from '../src/verdict/changes.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { Run, RunResults } from '../src/verdict/results.ts';
import { addCounts, Totals } from '../src/verdict/totals.ts';
import { addFailedGates, renderAllure } from './allure-report.ts';
import { fillOutput, runCommand } from './command.ts';
import { buildReport, type Conformance, filterByVerdict, type ReportedShard } from './conformance.ts';
import { formatSummary } from './lines.ts';
import { readLastWholeRun, readRunOfFolder } from './read-conformance.ts';
import { writeReports } from './write.ts';

interface StoredShard {
  folder: string;
  shard: ReportedShard;
  report: Conformance;
  /** Stored results of the shard, such as observations. The merge computes the verdicts anew from the results of all shards. */
  results: RunResults & { run: Run };
}

/** Shards of one run, at least one, sorted by their numbers (`shard.current`). */
type Shards = [StoredShard, ...StoredShard[]];

const usage = 'usage: npm run merge -- DIR... --output DIR   (DIR: REPORTS_DIR of a shard)';

function readArguments(): { output: string; shardFolders: string[] } {
  const options = { output: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (!values.output || positionals.length === 0) throw new Error(usage);
  const resolveFolder = (folder: string) => path.resolve(resolveCallerPath(folder));
  const output = resolveFolder(values.output);
  const shardFolders = positionals.map(resolveFolder);
  if (shardFolders.includes(output))
    throw new Error('--output must be another folder than those of the shards');
  return { output, shardFolders };
}

function readShard(folder: string): StoredShard {
  const report = readRunOfFolder(folder);
  const { shard } = report;
  if (!shard) throw new Error(`${folder} is of a whole run, not of a shard (--shard=i/n)`);
  const { run, ...results } = readResults(folder);
  if (!run || results.problem)
    throw new Error(`${folder} holds no results of a run: merge needs the whole of REPORTS_DIR`);
  return { folder, shard, report, results: { ...results, run } };
}

/** Values that must be equal in all shards. */
const sharedValues: [pluralName: string, getValue: (shard: StoredShard) => string | number][] = [
  ['targets', ({ report }) => (report.mock ? 'the embedded mock' : report.target)],
  ['profiles', ({ report }) => report.profile],
  ['contracts', ({ report }) => report.contract],
  ['versions of the suite', ({ report }) => report.suite],
  ['numbers of shards', ({ shard }) => shard.total],
];

/** @throws an `Error` if two shards have the same number, if shards are of different runs, or if `spec/` has another contract */
function assertOneRun({ hash }: Contract, shards: Shards): void {
  for (const [pluralName, getValue] of sharedValues) {
    const values = [...new Set(shards.map(getValue))];
    if (values.length > 1) throw new Error(`the shards are of different ${pluralName}: ${values.join(', ')}`);
  }
  const numbers = shards.map(({ shard }) => shard.current);
  const duplicate = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (duplicate) throw new Error(`shard ${duplicate} is given twice`);
  const otherContract = shards.find(({ report }) => report.contract !== hash)?.report.contract;
  if (otherContract)
    throw new Error(`the shards were judged by contract ${otherContract}, but spec/ is contract ${hash}`);
}

function describeMissingShards(shards: Shards): string[] {
  const { total } = shards[0].shard;
  const givenNumbers = shards.map(({ shard }) => shard.current);
  const allNumbers = Array.from({ length: total }, (_, index) => index + 1);
  const missingNumbers = allNumbers.filter((number) => !givenNumbers.includes(number));
  const incompleteSentences = shards
    .filter(({ shard }) => shard.complete === false)
    .map(({ shard, report }) => `shard ${shard.current} is incomplete: ${report.notes[0] ?? ''}`);
  if (missingNumbers.length === 0) return incompleteSentences;
  const missingSentence = `missing shards: ${missingNumbers.join(', ')} of ${total}; name the folders of all shards`;
  return [missingSentence, ...incompleteSentences];
}

async function mergeResults(contract: Contract, shards: Shards): Promise<RunResults> {
  const shardResults = shards.map(({ results }) => results);
  const [{ results: firstResults }] = shards;
  const { sweeps, observations: sweepObservations } = await mergeSweeps(contract, shards);
  const traffic = shardResults.flatMap((results) => results.traffic ?? []);
  const sentObservations = collectOncePerOperation(shardResults, (results) => results.observations);
  const totals = new Totals([...sentObservations, ...sweepObservations]);
  return omitUndefined({
    run: shardResults.map(({ run }) => run).reduce(addRuns),
    observations: totals.observations,
    behaviour: shardResults.find(({ behaviour }) => behaviour)?.behaviour,
    // Addresses of the requirements that the previous run judged.
    judgedBefore: firstResults.judgedBefore,
    requests: collectOncePerOperation(shardResults, (results) => results.requests),
    sweeps: sweeps.length > 0 ? sweeps : undefined,
    traffic: traffic.length > 0 ? traffic.reduce(addTraffic) : undefined,
  });
}

type RequestItem = { operation: string; swept?: unknown; probe?: unknown };

/**
 * Collects `observations` or `requests` of all shards. If several shards requested one operation, keeps only the items of the first
 * such shard. Keeps all items of sweeps, probes and recordings, because no two shards share these.
 */
function collectOncePerOperation<Item extends RequestItem>(
  shardResults: RunResults[],
  getItems: (results: RunResults) => Item[] | undefined,
): Item[] {
  const collectedOperations = new Set<string>();
  return shardResults.flatMap((results) => {
    const { operations: requestedOperations = [] } = results;
    const newOperations = requestedOperations.filter((operation) => !collectedOperations.has(operation));
    for (const operation of newOperations) collectedOperations.add(operation);
    // The results of recorded traffic have no `operations`.
    const isRecording = results.operations === undefined;
    const isDividedAmongShards = ({ swept: isFromSweep, probe: isProbe }: Item) =>
      isRecording || isFromSweep || isProbe;
    const items = getItems(results) ?? [];
    return items.filter((item) => isDividedAmongShards(item) || newOperations.includes(item.operation));
  });
}

/** Adds the counts of two shards. Keeps the earlier start and the lower `sufficientRps`. Drops the trace id, which differs. */
function addRuns({ trace: _, ...run }: Run, otherRun: Run): Run {
  // The report advises one `MAX_RPS` for all shards.
  const rates = [run, otherRun].flatMap(({ sufficientRps }) => sufficientRps ?? []);
  return {
    ...run,
    ...(rates.length > 0 ? { sufficientRps: Math.min(...rates) } : {}),
    startedAt: [run.startedAt, otherRun.startedAt].sort()[0] ?? '',
    requests: run.requests + otherRun.requests,
    repeated: addCounts(run.repeated, otherRun.repeated),
  };
}

function addTraffic(traffic: Traffic, otherTraffic: Traffic): Traffic {
  // A recording may have no times.
  const startTimes = [traffic, otherTraffic].flatMap((recording) => recording.from ?? []);
  const endTimes = [traffic, otherTraffic].flatMap((recording) => recording.until ?? []);
  const [from, until] = [startTimes.sort()[0], endTimes.sort().at(-1)];
  return {
    ...traffic,
    ...addCounts(pickCounts(traffic), pickCounts(otherTraffic)),
    ...(from && until ? { from, until } : {}),
    sources: [...traffic.sources, ...otherTraffic.sources],
    skipped: addCounts(traffic.skipped, otherTraffic.skipped),
    broken: [...traffic.broken, ...otherTraffic.broken],
  };
}

/** Keeps only the counts, such as `judged`. The cast drops `undefined` from their type, because parsed JSON never contains it. */
const pickCounts = ({ sources, skipped, from, until, broken, ...counts }: Traffic) => counts as Counts;

async function mergeSweeps(contract: Contract, shards: Shards) {
  const sweptShards: SweptShard[] = shards.flatMap(({ results, folder }) =>
    (results.sweeps ?? []).map((result) => ({ result, folder })),
  );
  const { target, startedAt } = shards[0].results.run;
  const entries = selectEntries(contract.ledger, target, startedAt);
  const sweeps: SweepResult[] = [];
  const observations: Observation[] = [];
  // The name of the journal file, such as `listCustomers`, identifies a sweep in all shards.
  const shardsBySweep = groupBy(sweptShards, ({ result }) => result.journal);
  for (const shardsOfSweep of shardsBySweep.values()) {
    const merged = await mergeSweep(contract, entries, shardsOfSweep);
    const { shard: _, ...result } = merged.result;
    sweeps.push(result);
    observations.push(...merged.observations);
  }
  return { sweeps, observations };
}

/**
 * Merges the results of all shards of one sweep. If the sweep read a list, also compares the records of different shards, because
 * two shards may have received the same one. If the sweep looked up identifiers from a file, only adds the counts.
 */
async function mergeSweep(contract: Contract, entries: LedgerEntry[], shards: [SweptShard, ...SweptShard[]]) {
  const { operation: operationId, list } = shards[0].result;
  const operation = contract.operations.find(({ id }) => id === operationId);
  const sweptList = operation && (await loadOperationRequests(operation)).sweptList;
  // The sweep of a file of identifiers has no `list`.
  if (list && sweptList) return mergeShardSweeps(entries, operation, sweptList, shards);
  return { result: sumSweeps(shards.map(({ result }) => result)), observations: [] };
}

/** Takes the settings on which the verdict depends, such as `minCoverage`, from the shards. All others are defaults. */
function createTarget(shards: Shards): Target {
  const [{ report, results }] = shards;
  const { run, traffic, sweeps } = results;
  return {
    // Without the environment variables and the `.env` of the user who merges.
    ...readConfiguration({}, '/nonexistent').target,
    name: report.target,
    profile: report.profile,
    isMock: report.mock,
    sweep: sweeps ? 'all' : 'off',
    traffic: traffic?.sources,
    minCoverage: run.minCoverage,
    failOn: run.failOn,
    // Only a run with `PROBES=record` has this gate.
    recordsAnswers: shards.some((shard) =>
      shard.report.gates.some(({ address }) => address === 'run/record'),
    ),
  };
}

async function mergeReports(contract: Contract, shards: Shards): Promise<Conformance> {
  const target = createTarget(shards);
  const results = evaluate(contract, target, await mergeResults(contract, shards));
  const reports = shards.map(({ report }) => report);
  const endedAt = Math.max(...reports.map((report) => Date.parse(report.startedAt) + report.durationMs));
  // Each shard stores the addresses of the tests of all shards.
  const { selected: addresses = [] } = shards.find(({ shard }) => shard.selected)?.shard ?? {};
  const requirementsInError = reports.flatMap((report) => filterByVerdict(report, 'error'));
  const report = buildReport(
    {
      contract,
      target,
      results,
      addresses,
      customTests: reports.flatMap(({ customTests = [] }) => customTests),
      failed: new Set(requirementsInError.map(({ address }) => address)),
      problems: describeMissingShards(shards),
      // Not used, because the results of the shards have a start.
      startedAt: new Date(),
    },
    new Date(endedAt),
  );
  return addChanges(report, readLastWholeRun(report, shards[0].folder));
}

await runCommand('merge', usage, async () => {
  const { output, shardFolders } = readArguments();
  // `readArguments` returns at least one folder of a shard.
  const shards = shardFolders.map(readShard).sort((a, b) => a.shard.current - b.shard.current) as Shards;
  const contract = loadContract(readConfiguration().target.extraLedger);
  assertOneRun(contract, shards);
  // If this merge fails, the verdict of an earlier merge must not be left.
  removeReports(output);
  const conformance = await mergeReports(contract, shards);
  fillOutput('--output', output, () => {
    const allureResults = (folder: string) => path.join(folder, 'allure-results');
    for (const results of shardFolders.map(allureResults).filter(existsSync))
      cpSync(results, allureResults(output), { recursive: true });
    writeReports(contract, conformance, output);
    // Written before and after Allure's report: Allure reads `conformance.json`, and the contract page links to an existing report.
    addFailedGates(output, conformance.gates);
    renderAllure(output, conformance.startedAt);
    writeReports(contract, conformance, output);
  });
  print(formatSummary(conformance, output));
  process.exitCode = conformance.verdict === 'pass' ? 0 : 1;
});
