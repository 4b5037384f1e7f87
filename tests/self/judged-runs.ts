import { type MockOptions, startMock } from '../../mock/server.ts';
import { conclude } from '../../reports/conclude.ts';
import type { Conformance } from '../../reports/conformance.ts';
import { loadContract } from '../../schemas/contract.ts';
import { entriesFor, loadLedger } from '../../schemas/ledger.ts';
import { openDoor } from '../client/send.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import { requirementsFor } from '../contract/results.ts';
import { standingOf } from '../contract/standing.ts';
import { askEverything } from '../exchanges/ask.ts';
import { observeBehaviour } from '../probes/behaviour.ts';
import { listening } from '../probes/heard.ts';

/** What `conformance.json` says of a provider, from a run in this process: real mock, real HTTP, same asking. */
export async function judgedRun(
  options: MockOptions = {},
  settings: Partial<Target> = {},
): Promise<Conformance> {
  const mock = await startMock(options);
  const target = { ...readConfiguration({}, '/nonexistent').target, minCoverage: 0, ...settings };
  const client = listening(await openDoor(target, mock.url));
  const startedAt = new Date();
  try {
    const entries = entriesFor(loadLedger(), target.name, '2026-01-01');
    const observations = await askEverything(target, client, entries);
    const behaviour = await observeBehaviour(target, client, {});
    const { name, profile } = target;
    const standing = standingOf(requirementsFor(target), observations, profile);
    const { hash: contract } = loadContract();
    const requests = client.sent();
    const run = {
      target: name,
      profile,
      startedAt: startedAt.toISOString(),
      requests,
      repeated: {},
      contract,
    };
    const addresses = standing.map(({ address }) => address);
    const results = { run, observations, standing, behaviour };
    const ended = { target, results, addresses, failed: new Set<string>(), problems: [] };
    return JSON.parse(JSON.stringify(conclude({ ...ended, startedAt, endedAt: new Date() })));
  } finally {
    await client.close();
    await mock.close();
  }
}
