import { test } from '@playwright/test';
import { type Mock, type MockOptions, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { entriesFor } from '../../../schemas/contract/ledger.ts';
import { createClient, type HttpClient } from '../../../src/client/http-client.ts';
import type { Shard } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { Secrets, secretsOf } from '../../../src/redact/secrets.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { removeJournals } from '../../../src/sweep/journal.ts';
import { type Done, Progress } from '../../../src/sweep/progress.ts';
import {
  type SweepResult,
  type SweepSummary,
  type SweptShare,
  shareOf,
  summaryOfSweep,
} from '../../../src/sweep/summary.ts';
import { sweepOperation } from '../../../src/sweep/sweep-operation.ts';
import { Totals } from '../../../src/verdict/totals.ts';
import { type ListOptions, listProvider } from '../harness/list-provider.ts';
import type { Environment } from '../harness/whole-run.ts';

/** A sweep without the run around it. */
export interface SweepRun {
  result: SweepResult;
  summary: SweepSummary;
  shares: Record<string, SweptShare>;
  /** How many records break each requirement, and the first of them. */
  broken: Record<string, [records: number, first: number | undefined]>;
  observations: Observation[];
  /** What the terminal showed. */
  said: string;
}

interface SweepOptions {
  env?: Environment;
  shard?: Shard;
  /** The process ends after so many pages. */
  endsAfter?: number;
}

/** Ends a process after some pages, between two of them, as `kill -9` may. */
class EndingProgress extends Progress {
  #left: number;

  constructor(pages: number, write: (text: string) => void) {
    super(write);
    this.#left = pages;
  }

  override show(done: Done): void {
    this.#left -= 1;
    if (this.#left <= 0) throw new Error('the process has ended');
    super.show(done);
  }
}

/** `REPORTS_DIR` of the sweeps of a test, unless they have another one. */
export const reportsDir = () => test.info().outputPath('reports');

/** Sweeps what a client reaches. */
async function sweepWith(
  client: Pick<HttpClient, 'get' | 'sent'>,
  url: string,
  { env = {}, shard, endsAfter = Number.POSITIVE_INFINITY }: SweepOptions,
): Promise<SweepRun> {
  const settings = { BASE_URL: url, MAX_RPS: '10000', REPORTS_DIR: reportsDir(), SWEEP: 'all', ...env };
  // Of the mock, contradictions are requested again at once.
  const target = { ...readConfiguration(settings, '/nonexistent').target, shard, isMock: true };
  const contract = loadContract();
  const totals = new Totals();
  let said = '';
  const progress = new EndingProgress(endsAfter, (text) => {
    said += text;
  });
  const sweeps: SweepResult[] = [];
  const context = {
    ...{ contract, target, client, progress, totals, sweeps },
    secrets: new Secrets(secretsOf(target)),
    entries: entriesFor(contract.ledger, target.name, '2024-01-01'),
  };
  if (!target.resume) removeJournals(target.reportsDir);
  for (const operation of contract.operations) await sweepOperation(context, operation);
  const [result] = sweeps;
  if (!result) throw new Error('nothing was swept');
  const broken = Object.entries(result.broken).map(([at, one]) => [at, [one.records, one.first[0]]]);
  return {
    ...{ result, said, observations: totals.observations },
    summary: summaryOfSweep(result),
    shares: sharesOf(result, totals.observations),
    broken: Object.fromEntries(broken),
  };
}

/** What it says of each requirement by which any response was judged. */
function sharesOf(result: SweepResult, observations: Observation[]): Record<string, SweptShare> {
  const addresses = observations.flatMap(({ exercised }) => Object.keys(exercised));
  return Object.fromEntries(
    addresses.flatMap((address) => {
      const share = shareOf(result, address, true);
      return share ? [[address, share]] : [];
    }),
  );
}

export async function sweepAt(url: string, options: SweepOptions = {}): Promise<SweepRun> {
  const { target } = readConfiguration({ BASE_URL: url, MAX_RPS: '100000' }, '/nonexistent');
  const client = await createClient({ ...target, maxRps: Number.POSITIVE_INFINITY }, url);
  return sweepWith(client, url, options).finally(client.close);
}

export async function sweepMock(
  options: MockOptions,
  sweep: SweepOptions = {},
): Promise<SweepRun & { sent: Mock['requests'] }> {
  const mock = await startMock(options);
  try {
    return { ...(await sweepAt(mock.url, sweep)), sent: mock.requests };
  } finally {
    await mock.close();
  }
}

/** Sweeps a list without a server around it. */
export async function sweepList(
  options: ListOptions,
  sweep: SweepOptions = {},
): Promise<SweepRun & { sent: string[] }> {
  const provider = listProvider(options);
  return { ...(await sweepWith(provider, 'http://target.invalid', sweep)), sent: provider.requests };
}
