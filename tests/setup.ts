import { rmSync } from 'node:fs';
import { startMock } from '../mock/server.ts';
import { assertValidDocument, loadContract } from '../schemas/contract.ts';
import { entriesFor, loadLedger } from '../schemas/ledger.ts';
import { answerValidator } from '../schemas/validators.ts';
import { openDoor } from './client/send.ts';
import { readConfiguration, type Target } from './client/target.ts';
import { writeRun } from './contract/results.ts';
import { askEverything } from './exchanges/ask.ts';
import { observationsDir, writeObservations } from './exchanges/session.ts';

/**
 * Playwright's global setup: checks configuration and contract, then asks and judges everything in this one
 * process, so that no answer ever reaches a worker. Tests read the verdicts.
 * @throws an error without stack, for people, when the run cannot begin.
 */
export default async function setup(): Promise<void> {
  try {
    const { target, problems } = readConfiguration();
    rmSync(observationsDir(target), { recursive: true, force: true });
    if (problems.length > 0) throw new Error(`The configuration is wrong:\n  - ${problems.join('\n  - ')}`);
    await checkContract();
    await run(target);
  } catch (error) {
    throw plain(error);
  }
}

async function checkContract(): Promise<void> {
  await assertValidDocument();
  loadContract().operations.forEach(answerValidator);
}

async function run(target: Target): Promise<void> {
  const startedAt = new Date().toISOString();
  const entries = entriesFor(loadLedger(), target.name, startedAt.slice(0, 10));
  const mock = target.baseUrl ? undefined : await startMock();
  const door = await openDoor(target, target.baseUrl ?? mock?.url ?? '');
  try {
    writeObservations(target, await askEverything(target, door, entries));
    const { name, profile } = target;
    writeRun(target, {
      target: name,
      profile,
      startedAt,
      requests: door.sent(),
      contract: loadContract().hash,
    });
  } finally {
    await door.close();
    await mock?.close();
  }
}

/** An error that prints as its message alone. */
function plain(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  const bare = new Error(message);
  bare.stack = message;
  return bare;
}
