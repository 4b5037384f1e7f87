import { startMock } from '../../mock/server.ts';
import type { Contract } from '../../schemas/contract/contract.ts';
import { entriesFor } from '../../schemas/contract/ledger.ts';
import { askEverything } from '../ask/ask-everything.ts';
import { createClient, type HttpClient } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { observeBehaviour } from '../questions/behaviour.ts';
import { recordDigests } from '../questions/digest.ts';
import { type RecordedAnswers, readRecorded } from '../questions/drift.ts';
import { Secrets, secretsOf } from '../redact/secrets.ts';
import { hasSweep, isOrdinary, sharedBy } from '../sweep/shards.ts';
import type { SweepResult } from '../sweep/summary.ts';
import { requestsOf } from '../verdict/requests-made.ts';
import type { RunResults } from '../verdict/results.ts';
import { Totals } from '../verdict/totals.ts';

/**
 * Asks a target everything, once, and judges it: configuration in, redacted results out. Reads no `REPORTS_DIR`, and
 * depends on nothing that another run leaves in this process.
 */
export async function askAndJudge(
  contract: Contract,
  whole: Target,
  beforeAsking: () => Promise<void> = async () => {},
): Promise<RunResults> {
  const target = sharedBy(whole);
  if (target.traffic) {
    await beforeAsking();
    const { judgeTraffic } = await import('./judge-traffic.ts');
    return judgeTraffic(contract, target);
  }
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    return await askTarget(contract, target, target.baseUrl ?? mock?.url ?? '', beforeAsking);
  } finally {
    await mock?.close();
  }
}

async function askTarget(
  contract: Contract,
  target: Target,
  baseUrl: string,
  beforeAsking: () => Promise<void>,
): Promise<RunResults> {
  const startedAt = new Date().toISOString();
  const recorded = readRecorded(target.recordFile);
  const secrets = new Secrets(secretsOf(target));
  const client = await createClient(target, baseUrl, secrets.add);
  try {
    await beforeAsking();
    return await resultsOf({ contract, target, client, secrets, startedAt }, recorded);
  } finally {
    await client.close();
  }
}

/** What a run that asks works with. */
interface Asking {
  contract: Contract;
  target: Target;
  client: HttpClient;
  secrets: Secrets;
  startedAt: string;
}

/** Sends the ordinary requests, then the probes, then those of sweeps. */
async function resultsOf(asking: Asking, recorded: RecordedAnswers): Promise<RunResults> {
  const { contract, target, secrets } = asking;
  const entries = entriesOf(asking);
  const client = recordDigests(asking.client, contract, secrets);
  const judged = isOrdinary(target)
    ? await askEverything(contract, target, client, { entries, secrets })
    : [];
  const ordinary = new Set(client.recorded.keys());
  const behaviour = await observeBehaviour(target, client, recorded);
  const probes = [...client.recorded].flatMap(([key, digest]) =>
    !digest || ordinary.has(key) ? [] : digest,
  );
  const sent = client.sent();
  const totals = new Totals(contract.operations);
  totals.merge(judged);
  const sweeps = await sweepsOf(asking, totals);
  const observations = totals.list();
  const requests = requestsOf([...judged, ...observations.filter((one) => one.swept)], probes);
  const all = (sweeps ?? []).reduce((sum, one) => sum + one.requests, sent);
  return { run: runOf(asking, all), observations, behaviour, requests, ...(sweeps ? { sweeps } : {}) };
}

const entriesOf = ({ contract, target, startedAt }: Asking) =>
  entriesFor(contract.ledger, target.name, startedAt.slice(0, 10));

const runOf = (
  { contract, target, client, secrets, startedAt }: Asking,
  requests: number,
): RunResults['run'] => ({
  target: secrets.mask(target.name),
  mock: target.isMock,
  profile: target.profile,
  startedAt,
  requests,
  ...(client.trace ? { trace: client.trace } : {}),
  repeated: client.repeated(),
  contract: contract.hash,
  minCoverage: target.minCoverage,
  undeclaredFields: target.undeclaredFields,
});

/** What is too many for the ordinary requests. Loaded where it is needed. */
async function sweepsOf(asking: Asking, totals: Totals): Promise<SweepResult[] | undefined> {
  const { contract, target, secrets, client } = asking;
  if (!hasSweep(target)) return undefined;
  const { sweepEverything } = await import('../sweep/sweep.ts');
  return sweepEverything({
    ...{ contract, target, secrets, client, entries: entriesOf(asking) },
    add: (observation) => totals.add({ ...observation, swept: true }),
    sum: (observations) => {
      const sums = new Totals(contract.operations);
      sums.merge(observations);
      return sums.list();
    },
  });
}
