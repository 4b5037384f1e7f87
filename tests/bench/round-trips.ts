import { loadContract } from '../../schemas/contract/contract.ts';
import { maxConcurrency } from '../client/http-client.ts';
import { readConfiguration } from '../configuration/target.ts';
import { askAndJudge } from '../run/ask-and-judge.ts';
import type { Figure } from './measure.ts';
import { withMock } from './sweeps.ts';

const trips = [5, 50, 200];

/** Asking and judging, beside the least that it can take with responses so many milliseconds late. */
export async function roundTripFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const ms of trips)
    await withMock(['--latency', String(ms)], async (url) => {
      const { target } = readConfiguration(
        { BASE_URL: url, MAX_RPS: '100000', PROBES: 'on' },
        '/nonexistent',
      );
      const start = performance.now();
      const { run } = await askAndJudge(loadContract(), { ...target, maxRps: Number.POSITIVE_INFINITY });
      const min = ((run?.requests ?? 0) * ms) / maxConcurrency;
      const value = (performance.now() - start) / min;
      figures.push({
        name: `run with a round trip of ${ms} ms ÷ (requests × round trip ÷ ${maxConcurrency})`,
        value,
        unit: 'ratio',
      });
    });
  return figures;
}
