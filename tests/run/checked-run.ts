import { type Contract, loadContract } from '../../schemas/contract/contract.ts';
import { unsetSentence } from '../configuration/identifier-variables.ts';
import { exportDotenv, readConfiguration, type Target } from '../configuration/target.ts';
import { maxRequests } from '../exchanges/ask-everything.ts';
import { operationQuestions } from '../exchanges/files.ts';
import { maxProbes } from '../probes/behaviour.ts';
import { maskOf } from '../redaction/secrets.ts';
import { divisionProblems, sendsOrdinaryRequests, shareOfTarget } from '../sweep/divide.ts';
import type { Part } from '../sweep/paging/paging.ts';
import { shownSource } from '../traffic/shown-source.ts';
import { sourceTitle } from '../traffic/source-name.ts';
import { announcedTime } from './announced-time.ts';
import { askAndJudge } from './ask-and-judge.ts';
import { previousProblems } from './previous.ts';
import type { RunResults } from './results.ts';
import { print } from './terminal.ts';

/**
 * Checks configuration and contract, announces the run, asks and judges.
 * @param hasInput whether the standard input of this process is the one of the run
 * @throws an error for people when the run cannot begin.
 */
export async function checkAndAsk(part?: Part, hasInput = true): Promise<RunResults> {
  const { target, problems } = readConfiguration();
  const all = [
    ...problems,
    ...previousProblems(target),
    ...divisionProblems(target, part),
    ...(hasInput ? [] : inputProblems(target)),
  ];
  if (all.length > 0) throw new Error(`The configuration is wrong:\n  - ${all.join('\n  - ')}`);
  const contract = loadContract();
  // An AUTH_MODULE finds what it needs in the environment, wherever it was set.
  exportDotenv();
  const own = shareOfTarget(target, part);
  return askAndJudge(contract, target, () => announce(contract, own, part), part);
}

const inputProblems = ({ traffic = [] }: Target): string[] =>
  traffic.includes('-')
    ? ['TRAFFIC=- reads standard input, which runs in UI mode or in an editor do not have: name a file']
    : [];

/** Says what is about to happen before the first request is sent. */
async function announce(contract: Contract, target: Target, part: Part | undefined): Promise<void> {
  const lines = target.traffic ? readingLines(target) : await askingLines(contract, target, part);
  const warnings = target.notices.map((notice) => `warning: ${notice}`);
  print([...warnings, ...lines].map((line) => `  ${line}\n`).join(''));
}

function readingLines(target: Target): string[] {
  const { name, baseUrl, traffic = [] } = target;
  const mask = maskOf(target);
  const sources = traffic.map((source, index) =>
    sourceTitle(shownSource({ source, number: String(index + 1) })),
  );
  const below = baseUrl ? 'exchanges below BASE_URL' : 'exchanges of any host';
  return [`judging ${mask(name)} from ${sources.join(', ')}: ${below}; nothing is sent`];
}

async function askingLines(contract: Contract, target: Target, part: Part | undefined): Promise<string[]> {
  const { name, maxRps, isMock } = target;
  const rate = Number.isFinite(maxRps) ? `, ${Number(maxRps.toPrecision(3))} a second` : '';
  if (!sendsOrdinaryRequests(part, target))
    return [`asking ${maskOf(target)(name)} for a share of the sweep; shard 1 sends the ordinary requests`];
  const unset = unsetSentence(target);
  const max =
    (await maxRequests(contract, target)) + maxProbes(contract, target, await operationQuestions(contract));
  return [
    `asking ${maskOf(target)(name)}${isMock ? ' (the embedded MOCK)' : ''}: at most ${max} requests${rate}${isMock ? '' : `: ${announcedTime(max, target)}`}`,
    ...(unset ? [unset] : []),
  ];
}
