import { readFileSync } from 'node:fs';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { judgeTraffic } from '../../../src/run/judge-traffic.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { requestTarget } from '../harness/request-target.ts';

export interface Cost {
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
}

/* Task in a separate process, so that no task inherits memory: a run with these variables, or `JSON.parse` of a file. */

const [variables = '{}', file] = process.argv.slice(2);
const { target } = readConfiguration(JSON.parse(variables), '/nonexistent');
const contract = loadContract();
const [startTime, startUsage] = [performance.now(), process.cpuUsage()];
if (file) JSON.parse(readFileSync(file, 'utf8'));
else if (target.traffic) await judgeTraffic(contract, target);
else await requestTarget(contract, { ...target, maxRps: Number.POSITIVE_INFINITY });
const { user, system } = process.cpuUsage(startUsage);
const cost: Cost = {
  seconds: (performance.now() - startTime) / 1000,
  cpuSeconds: (user + system) / 1e6,
  // `maxRSS` is in units of 1,024 bytes.
  peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
};
process.stdout.write(`\n${JSON.stringify(cost)}\n`);
