import type { Conformance } from '../../../reports/conformance.ts';
import type { Verdict } from '../../../src/verdict/verdicts.ts';

/** A run with requirements `getCard/<name>` of these verdicts. */
export function runOf(startedAt: string, all: Record<string, Verdict>): Conformance {
  const share = { exercised: 1, total: 1, percentage: 100, missing: [] };
  return {
    schemaVersion: 4,
    suite: '1.2.3',
    edition: '1',
    target: 'staging',
    mock: false,
    profile: 'observed',
    startedAt,
    durationMs: 1,
    requests: 1,
    verdict: 'pass',
    gates: [],
    notes: [],
    contract: '0123456789ab',
    findings: [],
    coverage: { nodes: share, states: share, seen: {} },
    observed: [],
    requestsMade: [],
    durations: [],
    requirements: Object.entries(all).map(([name, verdict]) => ({
      address: `getCard/${name}`,
      operation: 'getCard',
      level: 'MUST' as const,
      statement: name,
      source: '2.2',
      exercised: 1,
      requests: 1,
      verdict,
    })),
  };
}

/** When runs began that are compared. */
export const monday = '2026-03-02T08:00:00.000Z';
export const tuesday = '2026-03-03T08:00:00.000Z';
export const wednesday = '2026-03-04T08:00:00.000Z';
