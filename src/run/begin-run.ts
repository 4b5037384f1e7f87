import { type Contract, loadContract } from '../../schemas/contract/contract.ts';
import type { Shard, Target } from '../client/target.ts';
import { maxRequests } from '../operations/session.ts';
import { maxProbes } from '../questions/behaviour.ts';
import { readRecorded } from '../questions/drift.ts';
import { maskOf } from '../redact/secrets.ts';
import { removeJournals } from '../sweep/journal.ts';
import { hasSweep, shardProblems, targetForShard } from '../sweep/shards.ts';
import { shownSources, sourceTitle } from '../traffic/shown-source.ts';
import { type ComparedRun, judgedIn } from '../verdict/changes.ts';
import { shownToCaller } from './caller-folder.ts';
import { unsetSentence } from './identifier-variables.ts';
import { nameRun, type RunIdentity } from './run-identity.ts';
import { listsOf, partNames } from './run-session.ts';
import { RunStore } from './store.ts';
import { exportDotenv, readConfiguration } from './target.ts';
import { isCi, type Print } from './terminal.ts';

/** Returns the target of a run, or of its shard. @throws an error for people if the configuration is wrong */
export function readTargetOf(shard: Shard | undefined): Target {
  const { target: whole, problems } = readConfiguration();
  const target = targetForShard({ ...whole, shard });
  const all = [...problems, ...shardProblems(target)];
  if (all.length > 0) throw new Error(`The configuration is wrong:\n  - ${all.join('\n  - ')}`);
  return target;
}

/** What is known of a run before its first test. */
export interface RunStart {
  shard: Shard | undefined;
  /** Addresses of the selected tests. */
  selected: string[];
  /** The last whole run, whose coverage this one must not lose. */
  previous?: ComparedRun | undefined;
  print: Print;
}

/**
 * Begins a run in Playwright's main process: checks configuration and contract, names the run for its workers, judges recordings,
 * and says what is about to be sent.
 * @throws an error for people if the run cannot begin
 */
export async function beginRun({ shard, selected, previous, print }: RunStart): Promise<RunIdentity> {
  const target = readTargetOf(shard);
  const contract = loadContract(target.callersLedger);
  // Recorded answers that cannot be read are a mistake to mend before anything is sent.
  readRecorded(target.recordFile);
  // An AUTH_MODULE finds what it needs in the environment, whether .env or the caller has set it.
  exportDotenv();
  const identity = nameRun();
  const { reportsDir } = target;
  if (hasSweep(target) && !target.resume) removeJournals(reportsDir);
  const store = new RunStore(reportsDir, identity.id);
  const judgedBefore = previous && judgedIn(previous);
  await store.once(partNames.run, async () => ({
    ...nothingSent,
    ...(judgedBefore ? { judgedBefore } : {}),
  }));
  print(await announcement(contract, target, selected));
  if (target.traffic) {
    const { judgeTraffic } = await import('./judge-traffic.ts');
    const traffic = await judgeTraffic(contract, target);
    await store.once(partNames.traffic, async () => ({ ...nothingSent, traffic }));
  }
  return identity;
}

const nothingSent = { sent: 0, retries: {}, observations: [] };

/** Says what is about to happen before the first request is sent. */
async function announcement(contract: Contract, target: Target, selected: string[]): Promise<string> {
  const lines = target.traffic ? readingLines(target) : await sendingLines(contract, target, selected);
  const warnings = target.notices.map((notice) => `warning: ${notice}`);
  return [...warnings, ...lines].map((line) => `  ${line}\n`).join('');
}

function readingLines(target: Target): string[] {
  const { name, baseUrl, traffic = [] } = target;
  const mask = maskOf(target);
  const typed = traffic.filter(Boolean).map((source) => mask(shownToCaller(source)));
  const shown = shownSources(traffic).map(sourceTitle);
  // As they were typed, on the caller's own terminal alone.
  const sources = isCi()
    ? shown
    : shown.map((title, index) => title.replace(/….*/, () => typed[index] ?? ''));
  const below = baseUrl ? 'exchanges below BASE_URL' : 'exchanges of any host';
  return [`judging ${mask(name)} from ${sources.join(', ')}: ${below}; nothing is sent`];
}

async function sendingLines(contract: Contract, target: Target, selected: string[]): Promise<string[]> {
  const { name, maxRps, isMock } = target;
  const rate = Number.isFinite(maxRps) ? `, ${maxRps} a second` : '';
  const operations = operationsFor(contract, selected);
  const isWhole = operations.length === contract.operations.length;
  const unset = isWhole ? unsetSentence(target) : '';
  const probes = isWhole ? maxProbes(contract, target) : 0;
  const max = (await maxRequests({ ...contract, operations }, target)) + probes;
  const seconds = isMock ? '' : `: up to ${Math.ceil(max / maxRps)} s at that rate`;
  const of = isWhole ? '' : ` of ${operations.map(({ id }) => id).join(', ')}`;
  return [
    `requesting ${maskOf(target)(name + addressOf(target))}: at most ${max} requests${of}${rate}${seconds}`,
    ...(unset ? [unset] : []),
  ];
}

/** Operations that the selected tests request, with the lists that these depend on. */
function operationsFor({ operations }: Contract, selected: string[]) {
  const named = operations.filter(({ id }) => selected.some((address) => address.startsWith(`${id}/`)));
  const needsAll = selected.some((address) => address.startsWith('run/')) || named.length === 0;
  const lists = named.flatMap(listsOf);
  return operations.filter(
    (operation) => needsAll || named.includes(operation) || lists.includes(operation.id),
  );
}

/** Host and port if `TARGET_NAME` hides them, and those of a proxy: on the caller's own terminal alone. */
function addressOf({ name, baseUrl, isMock, transport: { proxy } }: Target): string {
  if (isMock) return ' (the embedded MOCK)';
  if (isCi()) return '';
  const { host } = new URL(baseUrl ?? '');
  return (host === name ? '' : ` at ${host}`) + (proxy ? ` through the proxy ${new URL(proxy).host}` : '');
}
