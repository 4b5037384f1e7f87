import { type Contract, loadContract, type Operation } from '../../schemas/contract/contract.ts';
import type { Shard, Target } from '../client/target.ts';
import { estimateRequests } from '../operations/session.ts';
import { estimateProbes } from '../questions/behaviour.ts';
import { readRecorded } from '../questions/drift.ts';
import { createMask } from '../redact/secrets.ts';
import { removeJournals } from '../sweep/journal.ts';
import { findShardProblems, hasSweep, restrictToShard } from '../sweep/shards.ts';
import { formatSources, formatSourceTitle } from '../traffic/shown-source.ts';
import { type ComparedRun, listJudgedAddresses } from '../verdict/changes.ts';
import { formatCallerPath } from './caller-folder.ts';
import { describeUnset } from './identifier-variables.ts';
import { nameRun, type RunIdentity } from './run-identity.ts';
import { partNames, selectLists } from './run-session.ts';
import { RunStore } from './store.ts';
import { exportDotenv, readConfiguration } from './target.ts';
import { isCi, type Print } from './terminal.ts';

/**
 * Reads the settings of a run from the environment and from `.env`. For a shard, `maxRps` and `traffic` are its share of `MAX_RPS`
 * and of the files of `TRAFFIC`.
 * @param shard shard to run (`--shard=2/3`); undefined for a whole run
 * @throws an `Error` that lists every mistake in the configuration
 */
export function readShardTarget(shard: Shard | undefined): Target {
  const { target: wholeTarget, problems } = readConfiguration();
  const target = restrictToShard({ ...wholeTarget, shard });
  const allProblems = [...problems, ...findShardProblems(target)];
  if (allProblems.length > 0)
    throw new Error(`The configuration is wrong:\n  - ${allProblems.join('\n  - ')}`);
  return target;
}

/** Input of `beginRun`, known before the first test. */
export interface RunStart {
  /** Shard to run (`--shard=2/3`); undefined for a whole run. */
  shard: Shard | undefined;
  /** Addresses of the tests that the run will have, such as `getCard/http/status` or `run/coverage`. */
  selected: string[];
  /** Last run without `--grep` and `--shard`. The new run must judge each requirement that this earlier run judged. */
  previous?: ComparedRun | undefined;
  /** Function that prints the announcement of the run. */
  print: Print;
}

/**
 * Begins a run in Playwright's main process: checks configuration and contract, exports `.env` to `process.env`, sets
 * `CONFORMANCE_RUN` for the workers, removes the journals of earlier sweeps if a new sweep begins, stores the part `run`, and
 * prints the announcement. With `TRAFFIC`, also judges the recordings and stores the results.
 * @throws an `Error` whose message tells the user why the run cannot begin
 */
export async function beginRun({ shard, selected, previous, print }: RunStart): Promise<RunIdentity> {
  const target = readShardTarget(shard);
  const contract = loadContract(target.callersLedger);
  // Reports unreadable recorded answers before anything is sent.
  readRecorded(target.recordFile);
  // An AUTH_MODULE reads its settings from the environment, even if only `.env` sets them.
  exportDotenv();
  const identity = nameRun();
  const { reportsDir } = target;
  if (hasSweep(target) && !target.resume) removeJournals(reportsDir);
  const store = new RunStore(reportsDir, identity.id);
  const judgedBefore = previous && listJudgedAddresses(previous);
  await store.once(partNames.run, async () => ({
    ...nothingSent,
    ...(judgedBefore ? { judgedBefore } : {}),
  }));
  print(await formatAnnouncement(contract, target, selected));
  if (target.traffic) {
    const { judgeTraffic } = await import('./judge-traffic.ts');
    const traffic = await judgeTraffic(contract, target);
    await store.once(partNames.traffic, async () => ({ ...nothingSent, traffic }));
  }
  return identity;
}

/** Counts and observations of a stored part for which no request was sent. */
const nothingSent = { sent: 0, retries: {}, observations: [] };

/** Formats the lines that a run prints before its first request: warnings about the configuration, and what the run will do. */
async function formatAnnouncement(contract: Contract, target: Target, selected: string[]): Promise<string> {
  const lines = target.traffic
    ? formatReadingLines(target)
    : await formatSendingLines(contract, target, selected);
  const warnings = target.notices.map((notice) => `warning: ${notice}`);
  return [...warnings, ...lines].map((line) => `  ${line}\n`).join('');
}

/** Formats the announcement of a run with `TRAFFIC`: "judging NAME from [1] ….har: exchanges of any host; nothing is sent". */
function formatReadingLines(target: Target): string[] {
  const { name, baseUrl, traffic = [] } = target;
  const mask = createMask(target);
  const paths = traffic.filter(Boolean).map((source) => mask(formatCallerPath(source)));
  const titles = formatSources(traffic).map(formatSourceTitle);
  // Paths may name people or projects. In CI the title stays, where `…` replaces the path; a local terminal shows the path.
  const showPath = (maskedTitle: string, index: number) =>
    maskedTitle.replace(/….*/, () => paths[index] ?? '');
  const sources = isCi() ? titles : titles.map(showPath);
  const scope = baseUrl ? 'exchanges below BASE_URL' : 'exchanges of any host';
  return [`judging ${mask(name)} from ${sources.join(', ')}: ${scope}; nothing is sent`];
}

/**
 * Formats the announcement of a run that sends requests: "requesting staging at api.example.com: about 40 requests, 10 a second:
 * about 4 s at that rate", and a line about unset variables of identifiers. In CI without the address, because others can read the
 * log.
 */
async function formatSendingLines(contract: Contract, target: Target, selected: string[]): Promise<string[]> {
  const { name, maxRps, isMock } = target;
  const rate = Number.isFinite(maxRps) ? `, ${maxRps} a second` : '';
  const operations = selectOperations(contract, selected);
  const isWhole = operations.length === contract.operations.length;
  const unsetNote = isWhole ? describeUnset(target) : '';
  const probeCount = selected.some(needsProbes) ? estimateProbes(contract, target) : 0;
  const requestCount = (await estimateRequests(contract, target, operations)) + probeCount;
  const duration = isMock ? '' : `: about ${Math.ceil(requestCount / maxRps)} s at that rate`;
  const sweep = hasSweep(target) ? ', and those of the sweep' : '';
  const ofOperations = isWhole ? '' : ` of ${operations.map(({ id }) => id).join(', ')}`;
  const shownTarget = createMask(target)(name + formatAddress(target));
  const requests = `about ${requestCount} requests${ofOperations}${sweep}${rate}${duration}`;
  return [`requesting ${shownTarget}: ${requests}`, ...(unsetNote ? [unsetNote] : [])];
}

/** Returns whether a test needs the responses of all operations and the probes: each gate (`run/…`), and the test `questions`. */
const needsProbes = (address: string): boolean => address.startsWith('run/') || address === 'questions';

/**
 * Selects the operations that a run will request: those of the selected tests, and the list operations whose records they are
 * compared with. All operations if a test needs the probes, or if no test belongs to an operation.
 * @param selected addresses of the selected tests, such as `getCard/http/status`
 */
function selectOperations({ operations }: Contract, selected: string[]): Operation[] {
  const selectedOperations = operations.filter(({ id }) =>
    selected.some((address) => address.startsWith(`${id}/`)),
  );
  const needsAll = selected.some(needsProbes) || selectedOperations.length === 0;
  const lists = selectedOperations.flatMap(selectLists);
  return operations.filter(
    (operation) => needsAll || selectedOperations.includes(operation) || lists.includes(operation.id),
  );
}

/**
 * Formats the address of a target for a local terminal, to follow its name: " at api.example.com through the proxy
 * proxy.example.com". Leaves out a host that equals the name. Empty in CI, because others can read the log.
 */
function formatAddress({ name, baseUrl, isMock, transport: { proxy } }: Target): string {
  if (isMock) return ' (the embedded MOCK)';
  if (isCi()) return '';
  const { host } = new URL(baseUrl ?? '');
  const hostText = host === name ? '' : ` at ${host}`;
  const proxyText = proxy ? ` through the proxy ${new URL(proxy).host}` : '';
  return hostText + proxyText;
}
