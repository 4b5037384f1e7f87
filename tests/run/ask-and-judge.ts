import { startMock } from '../../mock/server.ts';
import { loadContract } from '../../schemas/contract.ts';
import { entriesFor, loadLedger } from '../../schemas/ledger.ts';
import { type Door, openDoor } from '../client/send.ts';
import type { Target } from '../client/target.ts';
import { askEverything } from '../exchanges/ask.ts';
import { observeBehaviour } from '../probes/behaviour.ts';
import { readRecorded } from '../probes/drift.ts';
import { listening } from '../probes/heard.ts';
import { requestsOf } from './requests.ts';
import type { RunResults } from './results.ts';

/**
 * Asks a target everything, once, and judges it: configuration in, redacted results out. Reads no `REPORTS_DIR`, and
 * depends on nothing that another run leaves in this process.
 */
export async function askAndJudge(
  target: Target,
  beforeAsking: (target: Target) => Promise<void> = async () => {},
): Promise<RunResults> {
  const startedAt = new Date().toISOString();
  const recorded = readRecorded(target.recordFile);
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    const door = await openDoor(target, target.baseUrl ?? mock?.url ?? '');
    try {
      await beforeAsking(target);
      return await judgedBy(target, door, startedAt, recorded);
    } finally {
      await door.close();
    }
  } finally {
    await mock?.close();
  }
}

async function judgedBy(
  target: Target,
  opened: Door,
  startedAt: string,
  recorded: ReturnType<typeof readRecorded>,
): Promise<RunResults> {
  const door = listening(opened);
  const entries = entriesFor(loadLedger(), target.name, startedAt.slice(0, 10));
  const observations = await askEverything(target, door, entries);
  const ordinary = new Set(door.heard.keys());
  const behaviour = await observeBehaviour(target, door, recorded);
  const probes = [...door.heard].flatMap(([key, heard]) => (ordinary.has(key) ? [] : [heard]));
  const run = {
    target: target.name,
    profile: target.profile,
    startedAt,
    requests: door.sent(),
    repeated: door.repeated(),
    contract: loadContract().hash,
  };
  return { run, observations, behaviour, requests: requestsOf(observations, probes) };
}
