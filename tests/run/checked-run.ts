import { existsSync } from 'node:fs';
import { type Contract, loadContract } from '../../schemas/contract.ts';
import { maskOf } from '../client/secrets.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import { mostRequests } from '../exchanges/ask.ts';
import { mostProbes } from '../probes/behaviour.ts';
import { askAndJudge } from './ask-and-judge.ts';
import { previousProblems } from './previous.ts';
import type { RunResults } from './results.ts';

/**
 * Checks configuration and contract, announces the run, asks and judges.
 * @throws an error for people when the run cannot begin.
 */
export async function checkAndAsk(): Promise<RunResults> {
  const { target, problems } = readConfiguration();
  const all = [...problems, ...previousProblems(target)];
  if (all.length > 0) throw new Error(`The configuration is wrong:\n  - ${all.join('\n  - ')}`);
  const contract = loadContract();
  // An AUTH_MODULE finds what it needs in the environment, wherever it was set.
  if (existsSync('.env')) process.loadEnvFile();
  return askAndJudge(contract, target, () => announce(contract, target));
}

/** Says what is about to happen before the first request is sent. */
async function announce(contract: Contract, target: Target): Promise<void> {
  const { name, maxRps } = target;
  const pace = Number.isFinite(maxRps) ? `, ${maxRps} a second` : '';
  const unset = [target.cardIds.length === 0 && 'CARD_IDS', target.userIds.length === 0 && 'USER_IDS'];
  const silent = unset.filter(Boolean).map((variable) => `${variable} is not set, `);
  const hint = silent.length > 0 ? `\n  ${silent.join('')}what needs it is not exercised` : '';
  const most = (await mostRequests(contract, target)) + mostProbes(contract, target);
  process.stdout.write(`  asking ${maskOf(target)(name)}: at most ${most} requests${pace}${hint}\n`);
}
