import { buildFailedReport, type Conformance } from '../../../reports/conformance.ts';
import type { Verdict } from '../../../src/verdict/verdicts.ts';
import { exampleTarget } from './examples.ts';

/** Creates a report. `{ title: 'violation' }` adds a violation of the requirement `getCard/title`. */
export function createRunReport(startedAt: string, verdicts: Record<string, Verdict>): Conformance {
  const target = exampleTarget({ name: 'staging' });
  const reportWithoutResults = buildFailedReport(target, [], new Date(startedAt));
  const fullShare = { exercised: 1, total: 1, percentage: 100, missing: [] };
  const requirements = Object.entries(verdicts).map(([name, verdict]) => ({
    address: `getCard/${name}`,
    operation: 'getCard',
    level: 'MUST' as const,
    statement: name,
    source: '2.2',
    exercised: 1,
    requests: 1,
    verdict,
  }));
  return {
    ...reportWithoutResults,
    suite: '1.2.3',
    edition: '1',
    contract: '0123456789ab',
    // Independent of `verdicts`.
    verdict: 'pass',
    coverage: { nodes: fullShare, states: fullShare, seen: {} },
    requirements,
  };
}

export const monday = '2026-03-02T08:00:00.000Z';
export const tuesday = '2026-03-03T08:00:00.000Z';
export const wednesday = '2026-03-04T08:00:00.000Z';
