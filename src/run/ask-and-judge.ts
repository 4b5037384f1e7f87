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
import type { SweepResult } from '../sweep/summary.ts';
import { sweepEverything } from '../sweep/sweep-everything.ts';
import { requestsOf } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { Totals } from '../verdict/totals.ts';
import { aboutRun } from './results.ts';

/** What a run that asks works with. */
interface AskingRun extends Asking {
  client: HttpClient;
  startedAt: string;
}

/**
 * Asks a target everything, once, and judges it: configuration in, redacted results out. Reads no `REPORTS_DIR`, and
 * depends on nothing that another run leaves in this process.
 * @param onSweep receives, before a sweep, what says at any time of it what was found so far
 */
export async function askAndJudge(
  contract: Contract,
  target: Target,
  beforeAsking: () => Promise<void> = async () => {},
  onSweep: (soFar: () => RunResults) => void = () => {},
): Promise<RunResults> {
  const startedAt = new Date().toISOString();
  const entries = entriesFor(contract.ledger, target.name, startedAt);
  const recorded = readRecorded(target.recordFile);
  const secrets = new Secrets(secretsOf(target));
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    const client = await createClient(target, target.baseUrl ?? mock?.url ?? '', secrets.add);
    await beforeAsking();
    return await askAll({ contract, target, client, secrets, entries, startedAt }, recorded, onSweep);
  } finally {
    await mock?.close();
  }
}

/** Sends the ordinary requests, then the probes, then those of sweeps. */
async function askAll(
  asking: AskingRun,
  recorded: RecordedAnswers,
  onSweep: (soFar: () => RunResults) => void,
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
  const soFar = (): RunResults => {
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
    onSweep(soFar);
    await sweepEverything({ ...asking, totals, sweeps, progress: new Progress() });
  }
  return soFar();
}
