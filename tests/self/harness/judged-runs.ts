import { type MockOptions, startMock } from '../../../mock/server.ts';
import { buildReport } from '../../../reports/build-report.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration, type Target } from '../../configuration/target.ts';
import { askAndJudge } from '../../run/ask-and-judge.ts';
import { requirementsFor } from '../../run/results.ts';
import { evaluateRequirements } from '../../verdict/evaluate.ts';
import { overridden } from './overridden.ts';

/** What `conformance.json` says of a provider, from a run in this process: real mock, real HTTP, same asking. */
export async function judgedRun(
  options: MockOptions = {},
  settings: Partial<Target> = {},
): Promise<Conformance> {
  const mock = await startMock(options);
  const { target: usual } = readConfiguration({}, '/nonexistent');
  const target = overridden({ ...usual, isMock: false, baseUrl: mock.url, minCoverage: 0 }, settings);
  const startedAt = new Date();
  const contract = loadContract();
  try {
    const results = await askAndJudge(contract, target);
    const requirementResults = evaluateRequirements(
      requirementsFor(contract, target),
      results.observations,
      target.profile,
    );
    const addresses = requirementResults.map(({ address }) => address);
    const input = {
      contract,
      target,
      results: { ...results, requirementResults },
      addresses,
      startedAt,
    };
    const report = buildReport({ ...input, failed: new Set(), problems: [], shard: undefined }, new Date());
    return JSON.parse(JSON.stringify(report));
  } finally {
    await mock.close();
  }
}
