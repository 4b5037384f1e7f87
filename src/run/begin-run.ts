import { type Contract, loadContract, type Operation } from '../../schemas/contract/contract.ts';
import { formatCount } from '../../schemas/counted.ts';
import type { Shard, Target } from '../client/target.ts';
import { estimateRequests } from '../operations/estimate.ts';
import { getComparedListIds } from '../operations/operation-file.ts';
import { readRecordedAnswers } from '../questions/drift.ts';
import { estimateProbes } from '../questions/probes.ts';
import { createMask } from '../redact/secrets.ts';
import { removeJournals } from '../sweep/journal.ts';
import { hasSweep } from '../sweep/shards.ts';
import { formatSource, formatSourceTitle } from '../traffic/shown-source.ts';
import { type ComparedRun, listAddressesToJudge } from '../verdict/changes.ts';
import { formatCallerPath } from './caller-folder.ts';
import { describeUnsetIdentifiers } from './identifier-variables.ts';
import { exportNewRunIdentity, type RunIdentity } from './run-identity.ts';
import { emptyStoredResult, RunStore, resultNames } from './store.ts';
import { exportDotenv, readValidTarget } from './target.ts';
import { isCi, type Print } from './terminal.ts';

export interface RunStart {
  shard: Shard | undefined;
  /** Addresses of the selected tests of all shards, such as `getCard/code`. Only the printed text depends on these addresses. */
  selected: string[];
  /** Last run of the whole contract, with which this run is compared. */
  previous?: ComparedRun | undefined;
  print: Print;
}

/**
 * Begins a run. Checks the settings, and prints warnings and the expected number of requests. Exports `CONFORMANCE_RUN` and the
 * variables of `.env` to the workers. If `TRAFFIC` is set, judges the recordings.
 * @throws an `Error` that tells the user why the run cannot begin
 */
export async function beginRun({ shard, selected, previous, print }: RunStart): Promise<RunIdentity> {
  const target = readValidTarget(shard);
  const contract = loadContract(target.extraLedger);
  // Throws, before anything is sent, if the answers of an earlier `PROBES=record` cannot be read. Recorded traffic needs none.
  if (!target.traffic) readRecordedAnswers(target.answersFile);
  exportDotenv();
  const identity = exportNewRunIdentity();
  if (hasSweep(target) && !target.resume) removeJournals(target.reportsDir);
  const store = new RunStore(target.reportsDir, identity.id);
  const judgedBefore = previous ? { judgedBefore: listAddressesToJudge(previous) } : {};
  await store.createOnce(resultNames.run, async () => ({ ...emptyStoredResult, ...judgedBefore }));
  print(await formatAnnouncement(contract, target, selected));
  if (target.traffic) await judgeRecordings(contract, target, store);
  return identity;
}

async function judgeRecordings(contract: Contract, target: Target, store: RunStore): Promise<void> {
  const { judgeTraffic } = await import('./judge-traffic.ts');
  const traffic = await judgeTraffic(contract, target);
  await store.createOnce(resultNames.traffic, async () => ({ ...emptyStoredResult, traffic }));
}

async function formatAnnouncement(contract: Contract, target: Target, selected: string[]): Promise<string> {
  const lines = target.traffic
    ? [formatRecordingsLine(target)]
    : await formatRequestLines(contract, target, selected);
  const warnings = target.notices.map((notice) => `warning: ${notice}`);
  return [...warnings, ...lines].map((line) => `  ${line}\n`).join('');
}

function formatRecordingsLine(target: Target): string {
  const mask = createMask(target);
  const titles = formatRecordingTitles(target, mask).join(', ');
  const scope = target.baseUrl ? 'exchanges below BASE_URL' : 'exchanges of any host';
  return `judging ${mask(target.name)} from ${titles}: ${scope}; nothing is sent`;
}

/** Matches `….har` in `[1] ….har`, the title of a recording. */
const hiddenPath = /….*/;

/** Formats the titles of this shard's recordings, such as `[1] traffic/day.har`. In CI, such a title is `[1] ….har`. */
function formatRecordingTitles({ traffic = [] }: Target, maskSecrets: (text: string) => string): string[] {
  return traffic.flatMap((source, index) => {
    const isOfOtherShard = source === '';
    if (isOfOtherShard) return [];
    const title = formatSourceTitle(formatSource({ source, number: String(index + 1) }));
    // A path may name people or projects, so only a local terminal shows it.
    if (isCi()) return title;
    const shownPath = maskSecrets(formatCallerPath(source));
    return title.replace(hiddenPath, () => shownPath);
  });
}

/** Formats lines such as `requesting api.example.com: about 40 requests, 5 a second: about 8 s at that rate`. */
async function formatRequestLines(contract: Contract, target: Target, selected: string[]): Promise<string[]> {
  const operations = selectOperations(contract, selected);
  const isWholeContract = operations.length === contract.operations.length;
  const ordinaryCount = await estimateRequests(contract, target, operations);
  const probeCount = selected.some(needsAllRequests) ? estimateProbes(contract, target) : 0;
  const requestCount = ordinaryCount + probeCount;
  const hasOnlyCustomTests = operations.length === 0;
  const operationsText =
    isWholeContract || hasOnlyCustomTests ? '' : ` of ${operations.map(({ id }) => id).join(', ')}`;
  const customText = hasOnlyCustomTests ? ', and those of your own tests' : '';
  const sweepText = hasSweep(target) ? ', and those of the sweep' : '';
  const requestsText = `about ${formatCount(requestCount, 'request')}${operationsText}${customText}${sweepText}`;
  const shownTarget = createMask(target)(target.name + formatTargetAddress(target));
  const lines = [`requesting ${shownTarget}: ${requestsText}${formatRate(target, requestCount)}`];
  // The note is about all operations, and the selected ones may not need the unset identifiers.
  const unsetNote = isWholeContract ? describeUnsetIdentifiers(target) : '';
  if (unsetNote) lines.push(unsetNote);
  return lines;
}

function formatRate({ maxRps, isMock }: Target, requestCount: number): string {
  // Only the embedded mock may have no limit.
  if (!Number.isFinite(maxRps)) return '';
  const rate = `, ${maxRps} a second`;
  return isMock ? rate : `${rate}: about ${Math.ceil(requestCount / maxRps)} s at that rate`;
}

const needsAllRequests = (address: string): boolean => address.startsWith('run/') || address === 'questions';

function selectOperations({ operations }: Contract, selected: string[]): Operation[] {
  // A test such as `run/coverage` depends on the responses of all operations.
  if (selected.some(needsAllRequests)) return operations;
  const testedOperations = operations.filter(({ id }) =>
    selected.some((address) => address.startsWith(`${id}/`)),
  );
  // Records of a lookup are compared with those of a list.
  const neededIds = testedOperations.flatMap((operation) => [operation.id, ...getComparedListIds(operation)]);
  return operations.filter(({ id }) => neededIds.includes(id));
}

function formatTargetAddress({ name, baseUrl, isMock, transport: { proxy } }: Target): string {
  if (isMock) return ' (the embedded MOCK)';
  // Others can read the log of a pipeline, so it shows no address.
  if (isCi()) return '';
  const { host } = new URL(baseUrl ?? '');
  const hostText = host === name ? '' : ` at ${host}`;
  const proxyText = proxy ? ` through the proxy ${new URL(proxy).host}` : '';
  return hostText + proxyText;
}
