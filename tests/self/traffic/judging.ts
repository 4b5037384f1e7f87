import { Readable } from 'node:stream';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { judgeTraffic } from '../../../src/run/judge-traffic.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import type { Traffic } from '../../../src/traffic/traffic-summary.ts';
import { evaluate } from '../../../src/verdict/evaluate.ts';
import type { RequirementResult } from '../../../src/verdict/results.ts';
import { overrideSettings } from '../harness/provider.ts';

export interface JudgedTraffic {
  observations: Observation[];
  results: RequirementResult[];
  traffic: Traffic;
  violated: string[];
  exercised: string[];
}

/** Settings for judging a recording; `text`: the recording, if read from standard input. */
type Recording = Partial<Target> & { text?: string | Uint8Array };

const contract = loadContract();

/**
 * Judges recorded traffic against the contract.
 * @param sources files, or `-` for `recording.text`
 */
export async function judgeSources(sources: string[], recording: Recording = {}): Promise<JudgedTraffic> {
  const { observations, traffic, target } = await observeSources(sources, recording);
  const runResults = { run: undefined, observations, traffic };
  const { requirementResults: results } = evaluate(contract, target, runResults);
  const violated = results.filter(({ verdict }) => verdict === 'violation').map(({ address }) => address);
  const exercised = results.filter((result) => result.exercised > 0).map(({ address }) => address);
  return { observations, results, traffic, violated, exercised };
}

export async function observeSources(sources: string[], { text, ...settings }: Recording = {}) {
  const noDotenv = '/nonexistent';
  const { target: defaultTarget } = readConfiguration({ TRAFFIC: '-' }, noDotenv);
  const target = overrideSettings(defaultTarget, { ...settings, traffic: sources });
  const createInput = (content: string | Uint8Array) =>
    Readable.from([Buffer.from(content)], { objectMode: false });
  const options = text === undefined ? {} : { input: createInput(text) };
  const { observations, traffic } = await judgeTraffic(contract, target, options);
  return { observations, traffic, target };
}

const formatSecond = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString();
let createdCount = 0;

/**
 * Creates a JSON line that records an exchange of `listCustomers` with HTTP 200 and an empty list.
 * By default, it starts one second after that of the previous call.
 * @param changes fields to replace or add, such as `{ status: 404 }`; a field with the value undefined is left out
 */
export function createExchangeLine(changes: object = {}): string {
  const startedAt = formatSecond(createdCount);
  createdCount += 1;
  const exchange = {
    method: 'GET',
    url: 'https://api.example/svc/payment/api/v1/openapi/customers',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: 200, message: '', data: { customers: [] } }),
    startedAt,
    durationMs: 500,
    ...changes,
  };
  return `${JSON.stringify(exchange)}\n`;
}
