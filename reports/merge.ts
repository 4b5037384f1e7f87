import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { groupBy } from '../schemas/group-by.ts';
import { omitUndefined } from '../schemas/json.ts';
import type { Counts } from '../schemas/judge/judged.ts';
import type { Target } from '../src/client/target.ts';
import { loadOperationRequests } from '../src/operations/operation-file.ts';
import type { Finding, Observation } from '../src/redact/observation.ts';
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
import { hashTo12Digits } from '../src/verdict/verdict.ts';
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
  results: RunResults & { run: Run };
}

/** Shards to merge, in the order of their numbers. The shard of `--shard=2/3` has the number 2. */
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

const sharedValues: [pluralName: string, getValue: (shard: StoredShard) => string | number][] = [
  ['targets', ({ report }) => (report.mock ? 'the embedded mock' : report.target)],
  ['profiles', ({ report }) => report.profile],
  ['contracts', ({ report }) => report.contract],
  ['ledgers', ({ report }) => report.ledger ?? ''],
  ['versions of the suite', ({ report }) => report.suite],
  ['numbers of shards', ({ shard }) => shard.total],
];

function assertOneRun({ hash }: Contract, shards: Shards): void {
  for (const [pluralName, getValue] of sharedValues) {
    const distinctValues = [...new Set(shards.map(getValue))];
    if (distinctValues.length > 1)
      throw new Error(`the shards are of different ${pluralName}: ${distinctValues.join(', ')}`);
  }
  const numbers = shards.map(({ shard }) => shard.current);
  const duplicateNumber = numbers.find((number, index) => numbers.indexOf(number) !== index);
  if (duplicateNumber) throw new Error(`shard ${duplicateNumber} is given twice`);
  // All shards have the same contract, as checked above.
  const judgedContract = shards[0].report.contract;
  if (judgedContract !== hash)
    throw new Error(`the shards were judged by contract ${judgedContract}, but spec/ is contract ${hash}`);
}

function describeMissingShards(shards: Shards): string[] {
  const { total } = shards[0].shard;
  const givenNumbers = shards.map(({ shard }) => shard.current);
  const missingNumbers: number[] = [];
  for (let number = 1; number <= total; number++)
    if (!givenNumbers.includes(number)) missingNumbers.push(number);
  const sentences: string[] = [];
  if (missingNumbers.length > 0)
    sentences.push(
      `of ${total} shards, these are missing: ${missingNumbers.join(', ')}; name the folders of all shards`,
    );
  for (const { shard, report } of shards)
    if (shard.complete === false)
      sentences.push(`shard ${shard.current} is incomplete: ${report.notes[0] ?? ''}`);
  return [...sentences, ...describeMissingSweeps(shards)];
}

function describeMissingSweeps(shards: Shards): string[] {
  const sweeps = new Map(listSweptShards(shards).map(({ result }) => [result.journal, result.noun]));
  return shards.flatMap(({ shard, results }) => {
    const journals = (results.sweeps ?? []).map(({ journal }) => journal);
    const missingNouns = [...sweeps].flatMap(([journal, noun]) => (journals.includes(journal) ? [] : noun));
    return missingNouns.map((noun) => `shard ${shard.current} has not swept ${noun}, as other shards have`);
  });
}

async function mergeResults(contract: Contract, shards: Shards): Promise<RunResults> {
  const shardResults = shards.map(({ results }) => results);
  const { sweeps, observations: sweepObservations } = await mergeSweeps(contract, shards);
  const traffic = shardResults.flatMap((results) => results.traffic ?? []);
  const otherObservations = collectOncePerOperation(shardResults, (results) => results.observations);
  const totals = new Totals([...otherObservations, ...sweepObservations]);
  // Only one shard sends the probes, so only one has answers.
  const shardWithAnswers = shardResults.find(({ behaviour }) => behaviour);
  return omitUndefined({
    run: shardResults.map(({ run }) => run).reduce(addRuns),
    observations: totals.observations,
    behaviour: shardWithAnswers?.behaviour,
    // Each shard knows the same earlier run.
    judgedBefore: shardResults[0]?.judgedBefore,
    requests: collectOncePerOperation(shardResults, (results) => results.requests),
    stopReason: shardResults.find(({ stopReason }) => stopReason)?.stopReason,
    sweeps: sweeps.length > 0 ? sweeps : undefined,
    traffic: traffic.length > 0 ? traffic.reduce(addTraffic) : undefined,
  });
}

const listViolatedRequirements = ({ findings = [] }: RequestItem): string[] =>
  findings.flatMap(({ kind, requirement }) => (kind === 'violation' ? requirement : []));

const showsNewViolation = (item: RequestItem, violatedRequirements: Set<string>): boolean =>
  listViolatedRequirements(item).some((requirement) => !violatedRequirements.has(requirement));

type RequestItem = { operation: string; swept?: unknown; probe?: unknown; findings?: Finding[] };

/**
 * Merges the items of all shards, such as their observations. Several shards may have requested the same operation.
 * The ordinary items of an operation come only from the first shard that requested the operation.
 * The items of sweeps, probes and recorded traffic come from every shard, because no other shard has the same items.
 * An item that violates a requirement comes from a later shard, too, if no item of the earlier shards violates the requirement.
 * @param getItems returns the items of one shard, such as `results.observations`
 */
function collectOncePerOperation<Item extends RequestItem>(
  shardResults: RunResults[],
  getItems: (results: RunResults) => Item[] | undefined,
): Item[] {
  const collectedItems: Item[] = [];
  const collectedOperations = new Set<string>();
  let violatedInEarlierShards = new Set<string>();
  for (const results of shardResults) {
    const items = getItems(results) ?? [];
    const { operations } = results;
    // The results of recorded traffic have no `operations`.
    const isRecording = operations === undefined;
    const requestedOperations = isRecording ? [] : operations;
    const isOnlyInThisShard = ({ swept, probe }: Item) => isRecording || swept || probe;
    const isOfNewOperation = ({ operation }: Item) =>
      requestedOperations.includes(operation) && !collectedOperations.has(operation);
    // A new violation may come from a changed target, or from a faulty replica.
    const isCollected = (item: Item) =>
      isOnlyInThisShard(item) || isOfNewOperation(item) || showsNewViolation(item, violatedInEarlierShards);
    collectedItems.push(...items.filter(isCollected));
    violatedInEarlierShards = new Set(collectedItems.flatMap(listViolatedRequirements));
    for (const operation of requestedOperations) collectedOperations.add(operation);
  }
  return collectedItems;
}

// Each shard has a trace id of its own.
function addRuns({ trace: _, ...run }: Run, otherRun: Run): Run {
  const isEarlier = run.startedAt < otherRun.startedAt;
  const sum = {
    ...run,
    startedAt: isEarlier ? run.startedAt : otherRun.startedAt,
    requests: run.requests + otherRun.requests,
    repeated: addCounts(run.repeated, otherRun.repeated),
  };
  // The report advises one `MAX_RPS` for all shards, so the lower one.
  const rates = [run, otherRun].flatMap(({ sufficientRps }) => sufficientRps ?? []);
  return rates.length > 0 ? { ...sum, sufficientRps: Math.min(...rates) } : sum;
}

function addTraffic(traffic: Traffic, otherTraffic: Traffic): Traffic {
  const recordings = [traffic, otherTraffic];
  // A recording may have no times.
  const startTimes = recordings.flatMap(({ from }) => from ?? []).sort();
  const endTimes = recordings.flatMap(({ until }) => until ?? []).sort();
  return omitUndefined({
    ...traffic,
    ...addCounts(pickCounts(traffic), pickCounts(otherTraffic)),
    sources: [...traffic.sources, ...otherTraffic.sources],
    skipped: addCounts(traffic.skipped, otherTraffic.skipped),
    broken: [...traffic.broken, ...otherTraffic.broken],
    from: startTimes[0],
    until: endTimes.at(-1),
  });
}

const pickCounts = ({ sources, skipped, from, until, broken, ...counts }: Traffic): Counts =>
  // The type allows `undefined` for an optional count, but parsed JSON contains no `undefined`.
  counts as Counts;

async function mergeSweeps(contract: Contract, shards: Shards) {
  // The name of the journal file, such as `listCustomers`, identifies a sweep in all shards.
  const shardsBySweep = groupBy(listSweptShards(shards), ({ result }) => result.journal);
  const sweeps: SweepResult[] = [];
  const observations: Observation[] = [];
  for (const shardsOfSweep of shardsBySweep.values()) {
    assertSameDivision(shardsOfSweep);
    const merged = await mergeSweep(contract, shardsOfSweep);
    const { shard: _, ...sweepOfAllShards } = merged.result;
    sweeps.push(sweepOfAllShards);
    observations.push(...merged.observations);
  }
  return { sweeps, observations };
}

/**
 * Checks that all shards of a sweep divided the same pages or the same file. An example of a division is "pages of 100".
 * Ignores a shard without a division.
 * @throws an `Error` if the divisions of two shards differ. The merged sweep would lack records in this case.
 */
function assertSameDivision(shards: SweptShard[]): void {
  // A sweep without a division was stopped, which the report shows.
  const divisions = shards.flatMap(({ result: { division, shard } }) =>
    division === undefined ? [] : [{ division, text: `shard ${shard?.current}: ${division}` }],
  );
  const distinctDivisions = new Set(divisions.map(({ division }) => division));
  if (distinctDivisions.size <= 1) return;
  const { noun } = (shards[0] as SweptShard).result;
  const texts = divisions.map(({ text }) => text).join('; ');
  throw new Error(
    `the shards divided the sweep of ${noun} differently, so that records are missing: ${texts}. Run each shard again that differs`,
  );
}

const listSweptShards = (shards: Shards): SweptShard[] =>
  shards.flatMap(({ results, folder }) => (results.sweeps ?? []).map((result) => ({ result, folder })));

async function mergeSweep(contract: Contract, shards: [SweptShard, ...SweptShard[]]) {
  const { operation: operationId, list } = shards[0].result;
  const isListSweep = list !== undefined;
  const operation = contract.operations.find(({ id }) => id === operationId);
  const sweptList = operation && (await loadOperationRequests(operation)).sweptList;
  // Two shards that read pages of one list may have received the same record, so their records are compared.
  if (isListSweep && sweptList) return mergeShardSweeps(operation, sweptList, shards);
  // A sweep of a file of identifiers has no `list`. Each line belongs to one shard, so adding the counts is enough.
  return { result: sumSweeps(shards.map(({ result }) => result)), observations: [] };
}

const isShardMissing = (shards: Shards): boolean => shards.length < shards[0].shard.total;

/** Creates the target of the merged run. The settings come from the reports of the shards, not from the environment. */
function createTarget(shards: Shards): Target {
  const [{ report, results }] = shards;
  const { run, traffic, sweeps } = results;
  const gates = shards.flatMap((shard) => shard.report.gates);
  // No environment variable and no `.env`: the settings of the user who merges must not affect the verdict.
  const defaultTarget = readConfiguration({}, '/nonexistent').target;
  // The report names the variables that have no identifiers. The mock, which is the default target, has some for each variable.
  // A real target had none for an operation to which no shard sent one. A missing shard may have sent one.
  const mayHaveIdentifiers = report.mock || isShardMissing(shards);
  const identifiers = mayHaveIdentifiers ? defaultTarget.identifiers : {};
  return {
    ...defaultTarget,
    identifiers,
    name: report.target,
    profile: report.profile,
    isMock: report.mock,
    sweep: sweeps ? 'all' : 'off',
    traffic: traffic?.sources,
    minCoverage: run.minCoverage,
    failOn: run.failOn,
    // Only a run with `PROBES=record` has this gate.
    recordsAnswers: gates.some(({ address }) => address === 'run/record'),
  };
}

async function mergeReports(contract: Contract, shards: Shards): Promise<Conformance> {
  const target = createTarget(shards);
  const results = evaluate(contract, target, await mergeResults(contract, shards));
  const reports = shards.map(({ report }) => report);
  const requirementsInError = reports.flatMap((report) => filterByVerdict(report, 'error'));
  const runInput = {
    contract,
    target,
    results,
    // Each shard stores the addresses of the tests of all shards.
    addresses: shards.find(({ shard }) => shard.selected)?.shard.selected ?? [],
    customTests: reports.flatMap(({ customTests = [] }) => customTests),
    failed: new Set(requirementsInError.map(({ address }) => address)),
    problems: describeMissingShards(shards),
    endedEarly: reports.some(({ incomplete }) => incomplete),
    // Not used, because the results of the shards have a start.
    startedAt: new Date(),
  };
  const endTimes = reports.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  const report = buildReport(runInput, new Date(Math.max(...endTimes)));
  const configuration = mergeConfigurations(reports);
  return addChanges({ ...report, configuration }, readLastWholeRun(report, shards[0].folder));
}

/** Merges the hashes of the settings of all shards (`configuration`). Equal hashes stay as they are, as in a run without shards. */
function mergeConfigurations(reports: Conformance[]): string {
  const configurations = new Set(reports.map(({ configuration = '' }) => configuration));
  const [first = ''] = configurations;
  return configurations.size === 1 ? first : hashTo12Digits([...configurations]);
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
