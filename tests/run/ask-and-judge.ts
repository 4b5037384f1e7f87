import { startMock } from '../../mock/server.ts';
import type { Contract } from '../../schemas/contract.ts';
import { entriesFor } from '../../schemas/ledger.ts';
import { Disclosure } from '../client/disclosure.ts';
import { createClient } from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { askEverything } from '../exchanges/ask.ts';
import { operationQuestions } from '../exchanges/files.ts';
import { observeBehaviour } from '../probes/behaviour.ts';
import { readRecorded } from '../probes/drift.ts';
import { type RecordingClient, recordExchanges } from '../probes/recorded-exchange.ts';
import { judgeTraffic } from './judge-traffic.ts';
import { requestsOf } from './requests.ts';
import type { RunResults } from './results.ts';

/**
 * Asks a target everything, once, and judges it: configuration in, redacted results out. Reads no `REPORTS_DIR`, and
 * depends on nothing that another run leaves in this process.
 */
export async function askAndJudge(
  contract: Contract,
  target: Target,
  beforeAsking: () => Promise<void> = async () => {},
): Promise<RunResults> {
  if (target.traffic) {
    await beforeAsking();
    return judgeTraffic(contract, target);
  }
  const startedAt = new Date().toISOString();
  const recorded = readRecorded(target.recordFile);
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    const disclosure = new Disclosure(target, contract);
    const client = await createClient(target, target.baseUrl ?? mock?.url ?? '', disclosure.addSecret);
    try {
      await beforeAsking();
      const recording = recordExchanges(client, disclosure, contract, await operationQuestions(contract));
      return await judgedBy(target, recording, startedAt, recorded);
    } finally {
      await client.close();
    }
  } finally {
    await mock?.close();
  }
}

async function judgedBy(
  target: Target,
  client: RecordingClient,
  startedAt: string,
  recorded: ReturnType<typeof readRecorded>,
): Promise<RunResults> {
  const { contract, disclosure } = client;
  const entries = entriesFor(contract.ledger, target.name, startedAt.slice(0, 10));
  const judged = await askEverything(contract, target, client, entries);
  const ordinary = new Set(client.recorded.keys());
  const behaviour = await observeBehaviour(target, client, recorded);
  const probes = [...client.recorded].flatMap(([key, recorded]) => (ordinary.has(key) ? [] : [recorded]));
  const run = {
    target: disclosure.mask(target.name),
    profile: target.profile,
    startedAt,
    requests: client.sent(),
    repeated: client.repeated(),
    contract: contract.hash,
  };
  // Not before everything was asked: what may be shown depends on every answer.
  const observations = judged.map(disclosure.settle);
  return { run, observations, behaviour, requests: requestsOf(observations, probes) };
}
