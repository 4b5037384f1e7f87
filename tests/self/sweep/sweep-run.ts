import { test } from '@playwright/test';
import { type Mock, type MockOptions, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { selectEntries } from '../../../schemas/contract/ledger.ts';
import { createClient, type HttpClient } from '../../../src/client/http-client.ts';
import type { Shard } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { collectSecrets, Secrets } from '../../../src/redact/secrets.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { removeJournals } from '../../../src/sweep/journal.ts';
import { Progress, type SweepProgress } from '../../../src/sweep/progress.ts';
import {
  computeShare,
  type SweepResult,
  type SweepSummary,
  type SweptShare,
  summarizeSweep,
} from '../../../src/sweep/summary.ts';
import { sweepOperation } from '../../../src/sweep/sweep-operation.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import { type ListOptions, listProvider } from '../harness/list-provider.ts';
import type { Environment } from '../harness/whole-run.ts';

export interface SweepRun {
  result: SweepResult;
  summary: SweepSummary;
  shares: Record<string, SweptShare>;
  /** Number of violating records and position (from 1) of the first, by requirement address. */
  broken: Record<string, [records: number, first: number]>;
  observations: Observation[];
  output: string;
}

interface SweepOptions {
  env?: Environment;
  shard?: Shard;
  /** Number of list pages, or of lines of an identifier file, after which the sweep throws, as if killed; default: never. */
  endsAfter?: number;
}

/** Progress that throws after `maxPages` pages, as if the process was killed. */
class EndingProgress extends Progress {
  #remainingPages: number;

  constructor(maxPages: number, write: (text: string) => void) {
    super(write);
    this.#remainingPages = maxPages;
  }

  override show(progress: SweepProgress): void {
    this.#remainingPages -= 1;
    if (this.#remainingPages <= 0) throw new Error('the process has ended');
    super.show(progress);
  }
}

const noDotenv = '/nonexistent';
export const reportsDir = () => test.info().outputPath('reports');

async function sweepWith(
  client: Pick<HttpClient, 'get' | 'countRequests'>,
  url: string,
  { env = {}, shard, endsAfter = Number.POSITIVE_INFINITY }: SweepOptions,
): Promise<SweepRun> {
  const settings = { BASE_URL: url, MAX_RPS: '10000', REPORTS_DIR: reportsDir(), SWEEP: 'all', ...env };
  // As for the embedded mock, contradictions are requested again without a pause.
  const target = { ...readConfiguration(settings, noDotenv).target, shard, isMock: true };
  const contract = loadContract();
  const totals = new Totals();
  let output = '';
  const progress = new EndingProgress(endsAfter, (text) => {
    output += text;
  });
  const sweeps: SweepResult[] = [];
  const context = {
    contract,
    target,
    client,
    progress,
    totals,
    sweeps,
    secrets: new Secrets(collectSecrets(target)),
    entries: selectEntries(contract.ledger, target.name, '2024-01-01'),
  };
  if (!target.resume) removeJournals(target.reportsDir);
  for (const operation of contract.operations) await sweepOperation(context, operation);
  const [result] = sweeps;
  if (!result) throw new Error('nothing was swept');
  const broken: SweepRun['broken'] = {};
  // Each violated requirement has at least one position.
  for (const [address, { records, first }] of Object.entries(result.brokenRecords))
    broken[address] = [records, first[0] as number];
  return {
    result,
    output,
    observations: totals.observations,
    summary: summarizeSweep(result),
    shares: computeShares(result, totals.observations),
    broken,
  };
}

function computeShares(result: SweepResult, observations: Observation[]): Record<string, SweptShare> {
  const exercisedAddresses = observations.flatMap(({ exercised }) => Object.keys(exercised));
  const isExercised = true;
  const sharesByAddress: Record<string, SweptShare> = {};
  for (const address of exercisedAddresses) {
    const share = computeShare(result, address, isExercised);
    if (share) sharesByAddress[address] = share;
  }
  return sharesByAddress;
}

/** Sweeps the target at `url`: requests and judges all customers by default. */
export async function sweepAt(url: string, options: SweepOptions = {}): Promise<SweepRun> {
  const { target } = readConfiguration({ BASE_URL: url }, noDotenv);
  const client = await createClient({ ...target, maxRps: Number.POSITIVE_INFINITY }, url);
  return sweepWith(client, url, options).finally(client.close);
}

export async function sweepMock(
  options: MockOptions,
  sweep: SweepOptions = {},
): Promise<SweepRun & { sent: Mock['requests'] }> {
  const mock = await startMock(options);
  try {
    const run = await sweepAt(mock.url, sweep);
    return { ...run, sent: mock.requests };
  } finally {
    await mock.close();
  }
}

/** Sweeps the customers list of an in-process provider; `sent` holds the queries. */
export async function sweepList(
  options: ListOptions,
  sweep: SweepOptions = {},
): Promise<SweepRun & { sent: string[] }> {
  const provider = listProvider(options);
  const run = await sweepWith(provider, 'http://target.invalid', sweep);
  return { ...run, sent: provider.requests };
}
