import { type Contract, loadContract } from '../../schemas/contract/contract.ts';
import { maxRequests } from '../ask/ask-everything.ts';
import type { Shard, Target } from '../client/target.ts';
import { maxProbes } from '../questions/behaviour.ts';
import { maskOf } from '../redact/secrets.ts';
import { isOrdinary, shardProblems, sharedBy } from '../sweep/shards.ts';
import { shownSources, sourceTitle } from '../traffic/shown-source.ts';
import { type ComparedRun, judgedIn } from '../verdict/changes.ts';
import type { RunResults } from '../verdict/results.ts';
import { askAndJudge } from './ask-and-judge.ts';
import { shownToCaller } from './caller-folder.ts';
import { unsetSentence } from './identifier-variables.ts';
import { assertOwned, nameRun } from './reports-dir.ts';
import { nothing, writeResults } from './results.ts';
import { exportDotenv, readConfiguration } from './target.ts';
import { isCi, print } from './terminal.ts';

/** Lets the tests that are about to run say what prevented the run. */
export function failTests(target: Target, problem: string): RunResults {
  const results = { ...nothing, problem };
  writeResults(target, nameRun(), results);
  return results;
}

/**
 * Asks and judges, in this process, for the tests that are about to run, and writes what they read: no answer ever reaches a
 * worker. Checks configuration and contract before, and says what is about to happen.
 * @param isEmpty whether no test was selected, which Playwright says itself: then nothing is asked
 * @param previous the last run, whose coverage this one must not lose
 * @throws an error for people when the run cannot begin.
 */
export async function beginRun(
  shard: Shard | undefined,
  isEmpty: boolean,
  previous?: ComparedRun,
): Promise<RunResults> {
  const { target: whole, problems } = readConfiguration();
  const target = sharedBy({ ...whole, shard });
  const all = [...problems, ...shardProblems(target)];
  if (all.length > 0) throw new Error(`The configuration is wrong:\n  - ${all.join('\n  - ')}`);
  const contract = loadContract(target.callersLedger);
  if (isEmpty) return nothing;
  // An AUTH_MODULE finds what it needs in the environment, wherever it was set.
  exportDotenv();
  await announce(contract, target);
  const found = target.traffic
    ? await (await import('./judge-traffic.ts')).judgeTraffic(contract, target)
    : await askAndJudge(contract, target);
  const results = { ...found, judgedBefore: previous && judgedIn(previous) };
  assertOwned();
  writeResults(target, nameRun(), results);
  return results;
}

/** Says what is about to happen before the first request is sent. */
async function announce(contract: Contract, target: Target): Promise<void> {
  const lines = target.traffic ? readingLines(target) : await askingLines(contract, target);
  const warnings = target.notices.map((notice) => `warning: ${notice}`);
  print([...warnings, ...lines].map((line) => `  ${line}\n`).join(''));
}

function readingLines(target: Target): string[] {
  const { name, baseUrl, traffic = [] } = target;
  const mask = maskOf(target);
  const own = traffic.filter(Boolean).map((source) => mask(shownToCaller(source)));
  const shown = shownSources(traffic).map(sourceTitle);
  // As they were typed, on one's own terminal alone.
  const sources = isCi() ? shown : shown.map((name, index) => name.replace(/….*/, () => own[index] ?? ''));
  const below = baseUrl ? 'exchanges below BASE_URL' : 'exchanges of any host';
  return [`judging ${mask(name)} from ${sources.join(', ')}: ${below}; nothing is sent`];
}

async function askingLines(contract: Contract, target: Target): Promise<string[]> {
  const { name, maxRps, isMock } = target;
  const rate = Number.isFinite(maxRps) ? `, ${maxRps} a second` : '';
  if (!isOrdinary(target))
    return [`asking ${maskOf(target)(name)} for a share of the sweep; shard 1 sends the ordinary requests`];
  const unset = unsetSentence(target);
  const max = (await maxRequests(contract, target)) + maxProbes(contract, target);
  return [
    `asking ${maskOf(target)(name + addressOf(target))}: at most ${max} requests${rate}${isMock ? '' : `: up to ${Math.ceil(max / maxRps)} s at that rate`}`,
    ...(unset ? [unset] : []),
  ];
}

/** Host and port, where `TARGET_NAME` hides them, and those of a proxy: on one's own terminal alone. */
function addressOf({ name, baseUrl, isMock, transport: { proxy } }: Target): string {
  if (isMock) return ' (the embedded MOCK)';
  if (isCi()) return '';
  const { host } = new URL(baseUrl ?? '');
  return (host === name ? '' : ` at ${host}`) + (proxy ? ` through the proxy ${new URL(proxy).host}` : '');
}
