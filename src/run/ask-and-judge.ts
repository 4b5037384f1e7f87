import { startMock } from '../../mock/server.ts';
import type { Contract } from '../../schemas/contract/contract.ts';
import { entriesFor } from '../../schemas/contract/ledger.ts';
import { askEverything } from '../ask/ask-everything.ts';
import type { Asking } from '../ask/request.ts';
import { createClient, type HttpClient } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { observeBehaviour } from '../questions/behaviour.ts';
import { recordDigests } from '../questions/digest.ts';
import { type RecordedAnswers, readRecorded } from '../questions/drift.ts';
import { Secrets, secretsOf } from '../redact/secrets.ts';
import { Progress } from '../sweep/progress.ts';
import { hasSweep, isOrdinary } from '../sweep/shards.ts';
import { interrupted, type SweepResult } from '../sweep/summary.ts';
import { sweepEverything } from '../sweep/sweep-everything.ts';
import { requestsOf } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { Totals } from '../verdict/totals.ts';
import { aboutRun } from './results.ts';

/** What the run that is sweeping has found so far; undefined where none is. */
let soFar: (() => RunResults) | undefined;

/** What a run that was interrupted while it swept has found up to there. */
export function resultsSoFar(): RunResults | undefined {
  const results = soFar?.();
  const sweeps = results?.sweeps ?? [];
  const last = sweeps.at(-1);
  if (!results || !last) return results;
  const from = (last.list ? last.places : last.pages) + 1;
  const failed = [...last.failed, { from, to: undefined, reason: interrupted }];
  return { ...results, sweeps: [...sweeps.slice(0, -1), { ...last, stopped: interrupted, failed }] };
}

/**
 * Asks a target everything, once, and judges it: configuration in, redacted results out. Reads no `REPORTS_DIR`, and
 * depends on nothing that another run leaves in this process.
 */
export async function askAndJudge(contract: Contract, target: Target): Promise<RunResults> {
  const startedAt = new Date().toISOString();
  const entries = entriesFor(contract.ledger, target.name, startedAt);
  const recorded = readRecorded(target.recordFile);
  const secrets = new Secrets(secretsOf(target));
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    const client = await createClient(target, target.baseUrl ?? mock?.url ?? '', secrets.add);
    return await askAll({ contract, target, client, secrets, entries, startedAt }, recorded).finally(
      client.close,
    );
  } finally {
    await mock?.close();
  }
}

/** Sends the ordinary requests, then the probes, then those of sweeps. */
async function askAll(
  asking: Asking & { client: HttpClient; startedAt: string },
  recorded: RecordedAnswers,
): Promise<RunResults> {
  const { contract, target, secrets, startedAt } = asking;
  const client = recordDigests(asking.client, contract, secrets);
  const judged = isOrdinary(target) ? await askEverything({ ...asking, client }) : [];
  const ordinary = new Set(client.recorded.keys());
  const behaviour = await observeBehaviour(target, client, recorded);
  const probes = [...client.recorded].flatMap(([key, digest]) =>
    !digest || ordinary.has(key) ? [] : digest,
  );
  const sent = client.sent();
  const totals = new Totals();
  const sweeps: SweepResult[] = [];
  const results = (): RunResults => {
    const swept = totals.observations.map((one) => ({ ...one, swept: true as const }));
    const { trace } = asking.client;
    return {
      run: {
        ...aboutRun(contract, target, secrets, startedAt),
        mock: target.isMock,
        requests: sweeps.reduce((sum, one) => sum + one.requests, sent),
        ...(trace ? { trace } : {}),
        repeated: client.repeated(),
      },
      observations: [...new Totals(judged).observations, ...swept],
      behaviour,
      requests: requestsOf([...judged, ...swept], probes),
      ...(hasSweep(target) ? { sweeps } : {}),
    };
  };
  if (hasSweep(target)) {
    soFar = results;
    await sweepEverything({ ...asking, totals, sweeps, progress: new Progress() }).finally(() => {
      soFar = undefined;
    });
  }
  return results();
}
