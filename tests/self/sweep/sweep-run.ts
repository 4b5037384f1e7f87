import { test } from '@playwright/test';
import { type Mock, type MockOptions, startMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { entriesFor } from '../../../schemas/contract/ledger.ts';
import { createClient, type HttpClient } from '../../client/http-client.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { Disclosure } from '../../redaction/disclosure.ts';
import type { Part } from '../../sweep/paging/paging.ts';
import { Progress } from '../../sweep/progress/progress.ts';
import type { SweepResult, Swept } from '../../sweep/results/result.ts';
import { sweepEverything } from '../../sweep/sweep.ts';
import type { Environment } from '../harness/whole-run.ts';

/** A sweep without the run around it. */
export interface SweepRun {
  swept: Swept[];
  /** Of the list. */
  result: SweepResult;
  /** What the terminal showed. */
  said: string;
  /** Requests of this run, and of those with which it has gone on. */
  sent: number;
}

interface SweepOptions {
  env?: Environment;
  part?: Part;
  /** The process ends after so many pages. */
  endsAfter?: number;
  /** Stands between the sweep and the target. */
  around?(client: HttpClient): Pick<HttpClient, 'get'>;
}

/** Ends a process after some pages, between two of them, as `kill -9` may. */
class EndingProgress extends Progress {
  #left: number;

  constructor(pages: number, write: (text: string) => void) {
    super(write, false);
    this.#left = pages;
  }

  override update(): void {
    this.#left -= 1;
    if (this.#left <= 0) throw new Error('the process has ended');
  }
}

/** Where a sweep of a test keeps its journal, unless it has another `REPORTS_DIR`. */
export const journalDir = () => test.info().outputPath('reports', 'sweep');

/** Sweeps a target that listens; pages that fail are requested again without a pause. */
export async function sweepAt(
  url: string,
  { env = {}, part, around = (client) => client, endsAfter = Number.POSITIVE_INFINITY }: SweepOptions = {},
): Promise<SweepRun> {
  const REPORTS_DIR = test.info().outputPath('reports');
  const { target } = readConfiguration(
    { BASE_URL: url, MAX_RPS: '100000', REPORTS_DIR, SWEEP: 'all', ...env },
    '/nonexistent',
  );
  const contract = loadContract();
  const disclosure = new Disclosure(target, contract);
  const client = await createClient({ ...target, maxRps: Number.POSITIVE_INFINITY }, url);
  let said = '';
  const progress = new EndingProgress(endsAfter, (text) => {
    said += text;
  });
  try {
    const swept = await sweepEverything({
      ...{ contract, target, disclosure, part, progress, client: around(client) },
      entries: entriesFor(contract.ledger, target.name, '2024-01-01'),
      patience: { attempts: 3, pauseMs: 0 },
    });
    const sent = swept.reduce((sum, { earlierRequests }) => sum + earlierRequests, client.sent());
    return { swept, result: swept[0]?.result as SweepResult, said, sent };
  } finally {
    await client.close();
  }
}

/** Sweeps a mock of its own. */
export async function sweepMock(
  options: MockOptions,
  sweep: SweepOptions = {},
): Promise<SweepRun & { requests: Mock['requests'] }> {
  const mock = await startMock(options);
  try {
    return { ...(await sweepAt(mock.url, sweep)), requests: mock.requests };
  } finally {
    await mock.close();
  }
}

/** How many records break each requirement, and the first of them. */
export const brokenIn = ({
  shares,
}: SweepResult): Record<string, [broken: number, first: number | undefined]> =>
  Object.fromEntries(
    Object.entries(shares)
      .filter(([, { broken }]) => broken > 0)
      .map(([address, { broken, first }]) => [address, [broken, first?.[0]]]),
  );
