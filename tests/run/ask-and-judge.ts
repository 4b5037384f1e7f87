import { startMock } from '../../mock/server.ts';
import type { Contract } from '../../schemas/contract/contract.ts';
import { entriesFor } from '../../schemas/contract/ledger.ts';
import { createClient } from '../client/http-client.ts';
import type { Target } from '../configuration/target.ts';
import { askEverything } from '../exchanges/ask.ts';
import { operationQuestions } from '../exchanges/files.ts';
import { observeBehaviour } from '../probes/behaviour.ts';
import { readRecorded } from '../probes/drift.ts';
import { type RecordingClient, recordExchanges } from '../probes/recorded-exchange.ts';
import { Disclosure } from '../redaction/disclosure.ts';
import type { SweepContext } from '../sweep/context.ts';
import { isDivided, shareOfTarget } from '../sweep/divide.ts';
import type { Part } from '../sweep/paging.ts';
import type { Swept } from '../sweep/result.ts';
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
  part?: Part,
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
    await hideIdentifiers(target, disclosure);
    const own = part && isDivided(target) ? shareOfTarget(target, part) : target;
    const client = await createClient(own, own.baseUrl ?? mock?.url ?? '', disclosure.addSecret);
    try {
      await beforeAsking();
      const recording = recordExchanges(client, disclosure, contract, await operationQuestions(contract));
      const sweep = (quoted: string[]) =>
        sweepsOf(own, { client, disclosure, part }, contract, startedAt, quoted);
      return await judgedBy({ target: own, part }, recording, startedAt, recorded, sweep);
    } finally {
      await client.close();
    }
  } finally {
    await mock?.close();
  }
}

async function judgedBy(
  { target, part }: { target: Target; part: Part | undefined },
  client: RecordingClient,
  startedAt: string,
  recorded: ReturnType<typeof readRecorded>,
  sweep: (quoted: string[]) => Promise<Swept[] | undefined>,
): Promise<RunResults> {
  const { contract, disclosure } = client;
  const entries = entriesFor(contract.ledger, target.name, startedAt.slice(0, 10));
  const judged = await askEverything(contract, target, client, entries, part);
  const ordinary = new Set(client.recorded.keys());
  const behaviour = await observeBehaviour(target, client, recorded);
  const probes = [...client.recorded].flatMap(([key, recorded]) => (ordinary.has(key) ? [] : [recorded]));
  const swept = await sweep(disclosure.quotedIn(judged));
  const run = {
    target: disclosure.mask(target.name),
    profile: target.profile,
    startedAt,
    requests: client.sent() + (swept ?? []).reduce((sum, one) => sum + one.earlierRequests, 0),
    repeated: client.repeated(),
    contract: contract.hash,
    minCoverage: target.minCoverage,
  };
  // Not before everything was asked: what may be shown depends on every answer.
  const observations = [
    ...judged.map(disclosure.settle),
    ...(swept ?? []).flatMap((one) => one.observations.map((own) => ({ ...own, swept: true as const }))),
  ];
  const sweeps = swept ? { sweeps: swept.map(({ result }) => result) } : {};
  return { run, observations, behaviour, requests: requestsOf(observations, probes), ...sweeps };
}

/** Identifiers of files are as secret as configured ones, and too many to be kept. */
async function hideIdentifiers({ identifierFiles }: Target, { hide }: Disclosure): Promise<void> {
  if (Object.keys(identifierFiles).length === 0) return;
  const { identifiersIn } = await import('../sweep/lines-of-file.ts');
  for (const file of Object.values(identifierFiles))
    for (const { identifier } of identifiersIn(file)) hide(identifier);
}

/** What is too many for the ordinary requests. Loaded where it is needed. */
async function sweepsOf(
  target: Target,
  own: Pick<SweepContext, 'client' | 'disclosure' | 'part'>,
  contract: Contract,
  startedAt: string,
  quoted: string[],
): Promise<Swept[] | undefined> {
  if (target.sweep === 'off' && Object.keys(target.identifierFiles).length === 0) return undefined;
  const { sweepEverything } = await import('../sweep/sweep.ts');
  const entries = entriesFor(contract.ledger, target.name, startedAt.slice(0, 10));
  const { watchQuotedWords } = await import('../sweep/quoted-words.ts');
  const client = watchQuotedWords(quoted, own.client, contract, own.disclosure);
  return sweepEverything({ ...own, client, contract, target, entries });
}
