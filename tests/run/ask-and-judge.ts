import { startMock } from '../../mock/server.ts';
import type { Contract } from '../../schemas/contract/contract.ts';
import { entriesFor } from '../../schemas/contract/ledger.ts';
import { createClient, type HttpClient } from '../client/http-client.ts';
import { fileVariableOf } from '../configuration/identifier-variables.ts';
import type { Target } from '../configuration/target.ts';
import { askEverything } from '../exchanges/ask-everything.ts';
import { operationQuestions } from '../exchanges/files.ts';
import { observeBehaviour } from '../probes/behaviour.ts';
import { type RecordedAnswers, readRecorded } from '../probes/drift.ts';
import { recordExchanges } from '../probes/recorded-exchange.ts';
import { Disclosure } from '../redaction/disclosure.ts';
import { hasSweep, shareOfTarget } from '../sweep/divide.ts';
import type { Part } from '../sweep/paging/paging.ts';
import { OrdinaryLists } from '../sweep/results/ordinary-lists.ts';
import { type Swept, sweptObservations } from '../sweep/results/result.ts';
import { requestsOf } from './requests-made.ts';
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
    const { judgeTraffic } = await import('./judge-traffic.ts');
    return judgeTraffic(contract, target);
  }
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    return await askTarget(contract, target, target.baseUrl ?? mock?.url ?? '', beforeAsking, part);
  } finally {
    await mock?.close();
  }
}

async function askTarget(
  contract: Contract,
  target: Target,
  baseUrl: string,
  beforeAsking: () => Promise<void>,
  part: Part | undefined,
): Promise<RunResults> {
  const startedAt = new Date().toISOString();
  const recorded = readRecorded(target.recordFile);
  const disclosure = new Disclosure(target, contract);
  await hideIdentifiers(target, disclosure);
  const own = shareOfTarget(target, part);
  const client = await createClient(own, baseUrl, disclosure.addSecret);
  try {
    await beforeAsking();
    return await resultsOf({ contract, target: own, part, client, disclosure, startedAt }, recorded);
  } finally {
    await client.close();
  }
}

/** What a run that asks works with. */
interface Asking {
  contract: Contract;
  target: Target;
  part: Part | undefined;
  client: HttpClient;
  disclosure: Disclosure;
  startedAt: string;
}

/** Sends the ordinary requests, then the probes, then those of sweeps. */
async function resultsOf(asking: Asking, recorded: RecordedAnswers): Promise<RunResults> {
  const { contract, target, part, disclosure } = asking;
  const client = recordExchanges(asking.client, disclosure, contract, await operationQuestions(contract));
  const lists = hasSweep(target) ? new OrdinaryLists() : undefined;
  const judged = await askEverything(contract, target, client, entriesOf(asking), part, lists);
  const ordinary = new Set(client.recorded.keys());
  const behaviour = await observeBehaviour(target, client, recorded);
  const probes = [...client.recorded].flatMap(([key, exchange]) => (ordinary.has(key) ? [] : [exchange]));
  probes.sort((one, other) => one.ordinal - other.ordinal);
  const swept = await sweepsOf(asking, disclosure.quotedIn(judged), lists);
  // Not before everything was asked: what may be shown depends on every answer.
  const observations = [...judged.map(disclosure.settle), ...(swept ?? []).flatMap(sweptObservations)];
  const sweeps = swept ? { sweeps: swept.map(({ result }) => result) } : {};
  const requests = requestsOf(observations, probes);
  return { run: runOf(asking, swept), observations, behaviour, requests, ...sweeps };
}

const entriesOf = ({ contract, target, startedAt }: Asking) =>
  entriesFor(contract.ledger, target.name, startedAt.slice(0, 10));

const runOf = (
  { contract, target, client, disclosure, startedAt }: Asking,
  swept: Swept[] = [],
): RunResults['run'] => ({
  target: disclosure.mask(target.name),
  mock: target.isMock,
  profile: target.profile,
  startedAt,
  requests: client.sent() + swept.reduce((sum, one) => sum + one.earlierRequests, 0),
  repeated: client.repeated(),
  contract: contract.hash,
  minCoverage: target.minCoverage,
  undeclaredFields: target.undeclaredFields,
});

/** Identifiers of files are as secret as configured ones, and too many to be kept. */
async function hideIdentifiers({ identifierFiles }: Target, { hide }: Disclosure): Promise<void> {
  if (Object.keys(identifierFiles).length === 0) return;
  const { identifiersIn } = await import('../sweep/identifiers/identifier-lines.ts');
  for (const [variable, file] of Object.entries(identifierFiles))
    for (const { identifier } of identifiersIn(file, fileVariableOf(variable))) hide(identifier);
}

/** What is too many for the ordinary requests. Loaded where it is needed. @param quoted words that reports are about to quote */
async function sweepsOf(
  asking: Asking,
  quoted: string[],
  ordinary: OrdinaryLists | undefined,
): Promise<Swept[] | undefined> {
  const { contract, target, part, disclosure } = asking;
  if (!hasSweep(target)) return undefined;
  const { sweepEverything } = await import('../sweep/sweep.ts');
  const { watchQuotedWords } = await import('../sweep/quoted-words.ts');
  const client = watchQuotedWords(quoted, asking.client, contract, disclosure);
  const entries = entriesOf(asking);
  return sweepEverything({ contract, target, part, disclosure, client, entries, ordinary });
}
