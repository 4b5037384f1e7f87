import { type MockOptions, startMock } from '../../../mock/server.ts';
import { buildReport, type Conformance } from '../../../reports/conformance.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import { noDotenv } from './project-files.ts';
import { overrideSettings } from './provider.ts';
import { requestTarget } from './request-target.ts';

export async function judgeMock(
  options: MockOptions = {},
  settings: Partial<Target> = {},
): Promise<Conformance> {
  const mock = await startMock(options);
  const { target: defaultTarget } = readConfiguration({}, noDotenv);
  const mockTarget = { ...defaultTarget, isMock: false, baseUrl: mock.url, minCoverage: 0 };
  const target = overrideSettings(mockTarget, settings);
  const startedAt = new Date();
  const contract = loadContract();
  try {
    const results = evaluate(contract, target, await requestTarget(contract, target));
    const addresses = results.requirementResults.map(({ address }) => address);
    const input = { contract, target, results, addresses, startedAt };
    const report = buildReport({ ...input, failed: new Set(), problems: [], shard: undefined }, new Date());
    // Removes keys whose value is undefined, as writing the report to a file does.
    return JSON.parse(JSON.stringify(report));
  } finally {
    await mock.close();
  }
}
