import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { FullConfig } from '@playwright/test';
import { startMock } from '../mock/server.ts';
import { assertValidDocument, loadContract } from '../schemas/contract.ts';
import { entriesFor, loadLedger } from '../schemas/ledger.ts';
import { answerValidator } from '../schemas/validators.ts';
import { maskOf } from './client/secrets.ts';
import { openDoor } from './client/send.ts';
import { readConfiguration, type Target } from './client/target.ts';
import { coverageOf } from './contract/coverage.ts';
import { keepPrevious } from './contract/previous.ts';
import { readResults, writeResults } from './contract/results.ts';
import { gatesOf, runFindings } from './contract/run.ts';
import type { Verdict } from './contract/standing.ts';
import { askEverything, mostRequests } from './exchanges/ask.ts';
import { mostProbes, observeBehaviour } from './probes/behaviour.ts';
import { readRecorded } from './probes/drift.ts';
import { listening } from './probes/heard.ts';

/**
 * Playwright's global setup: checks configuration and contract, then asks and judges everything in this one
 * process, so that no answer ever reaches a worker. Tests read the verdicts.
 * @throws an error without stack, for people, when the run cannot begin.
 */
export default async function setup({ reporter }: FullConfig): Promise<(() => void) | undefined> {
  try {
    const { target, problems } = readConfiguration();
    keepPrevious(target, problems);
    clear(target);
    if (problems.length > 0) throw new Error(`The configuration is wrong:\n  - ${problems.join('\n  - ')}`);
    await checkContract();
    loadDotenv();
    process.once('exit', unfinished);
    await run(target);
    return reporter.some(([name]) => name.endsWith('reports/reporter.ts'))
      ? undefined
      : () => conclude(target);
  } catch (error) {
    throw plain(error);
  } finally {
    process.off('exit', unfinished);
  }
}

/**
 * Where `--reporter` leaves out the one that gives the verdict, nobody else makes a run red that has skipped what is
 * blocked or was never shown.
 * @throws an error for people, when the run must not end green.
 */
function conclude(target: Target): void {
  const results = readResults(target);
  const having = (...verdicts: Verdict[]) =>
    results.standing.find(({ verdict }) => verdicts.includes(verdict));
  const coverage = coverageOf(loadContract(), results.observations);
  const gated = results.behaviour?.findings.filter(({ kind }) => gatesOf(target).includes(kind)) ?? [];
  const [finding] = [...runFindings(target, coverage, results), ...gated];
  const blocked = having('blocked')?.reason;
  const hollow = having('pass', 'deviation', 'violation') ? undefined : 'nothing was judged';
  const reason = blocked ?? hollow ?? (finding && `expected ${finding.expected}; came ${finding.actual}`);
  if (reason) throw plain(new Error(`The run does not pass: ${reason}`));
}

/** A module that ends the process while it is asked for a signature must not end the run green. */
function unfinished(): void {
  process.exitCode = 1;
  process.stderr.write(
    '\n  ERROR: the process was ended while the target was asked: AUTH_MODULE must not do that\n',
  );
}

const written =
  'observations conformance.json conformance.md conformance.sarif contract.html badge.svg junit.xml allure-results allure-report';

/** Removes what an earlier run has left: it would be taken for this one's, above all if this one is cut short. */
function clear({ reportsDir }: Target): void {
  for (const name of written.split(' '))
    rmSync(path.join(reportsDir, name), { recursive: true, force: true });
}

/** An AUTH_MODULE finds what it needs in the environment, wherever it was set. */
function loadDotenv(): void {
  if (existsSync('.env')) process.loadEnvFile();
}

async function checkContract(): Promise<void> {
  await assertValidDocument();
  loadContract().operations.forEach(answerValidator);
}

async function run(target: Target): Promise<void> {
  const startedAt = new Date().toISOString();
  const entries = entriesFor(loadLedger(), target.name, startedAt.slice(0, 10));
  const recorded = readRecorded(target.recordFile);
  const mock = target.baseUrl ? undefined : await startMock();
  const door = listening(await openDoor(target, target.baseUrl ?? mock?.url ?? ''));
  try {
    await announce(target);
    const observations = await askEverything(target, door, entries);
    const behaviour = await observeBehaviour(target, door, recorded);
    const [requests, repeated] = [door.sent(), door.repeated()];
    const { hash: contract } = loadContract();
    const { name, profile } = target;
    writeResults(
      target,
      { target: name, profile, startedAt, requests, repeated, contract },
      observations,
      behaviour,
    );
  } finally {
    await door.close();
    await mock?.close();
  }
}

/** Says what is about to happen before the first request is sent. */
async function announce(target: Target): Promise<void> {
  const { name, maxRps } = target;
  const pace = Number.isFinite(maxRps) ? `, ${maxRps} a second` : '';
  const unset = [target.cardIds.length === 0 && 'CARD_IDS', target.userIds.length === 0 && 'USER_IDS'];
  const silent = unset.filter(Boolean).map((variable) => `${variable} is not set, `);
  const hint = silent.length > 0 ? `\n  ${silent.join('')}what needs it is not exercised` : '';
  const most = (await mostRequests(target)) + mostProbes(target);
  process.stdout.write(`  asking ${name}: at most ${most} requests${pace}${hint}\n`);
}

/** An error that prints as its message alone. */
function plain(error: unknown): Error {
  const message = maskOf(readConfiguration().target)(error instanceof Error ? error.message : String(error));
  const bare = new Error(message);
  bare.stack = message;
  return bare;
}
