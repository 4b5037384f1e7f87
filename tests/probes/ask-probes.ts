import { CircuitBreaker } from '../client/circuit-breaker.ts';
import { requestKey } from '../client/http-client.ts';
import type { Evidence } from './evidence.ts';
import type { Probe } from './probes.ts';
import type { RecordingClient } from './recorded-exchange.ts';

/** Sends a request unless it was recorded before, or too many have got no answer. */
export async function askOnce(
  client: RecordingClient,
  breaker: CircuitBreaker,
  { path, overrides = {}, shown }: Omit<Probe, 'id'>,
): Promise<void> {
  if (!client.recorded.has(requestKey(path, overrides))) await client.get(path, breaker, overrides, shown);
}

/** Sends each probe once, what was recorded already excepted. Never throws; ends when a target stops answering. */
export async function askProbes(client: RecordingClient, probes: Probe[]): Promise<void> {
  const breaker = new CircuitBreaker({ inARow: false });
  await Promise.all(probes.map((probe) => askOnce(client, breaker, probe)));
}

/** Sends again what seems to contradict something else, once each. Never throws. */
export async function askAgain(client: RecordingClient, evidence: Evidence): Promise<void> {
  const breaker = new CircuitBreaker({ inARow: false });
  const pages = client.questions.flatMap(({ secondPass }) => attempted(() => secondPass?.(evidence) ?? []));
  for (const { path } of pages) await askOnce(client, breaker, { path, overrides: { again: true } });
}

function attempted<T>(find: () => T[]): T[] {
  try {
    return find();
  } catch {
    return [];
  }
}
