import { readFileSync } from 'node:fs';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { judgeTraffic } from '../../../src/run/judge-traffic.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { judgeTarget } from '../harness/judge-target.ts';

/** What a process has taken, from the first request or byte on; memory is the most that it ever had. */
export interface Cost {
  seconds: number;
  cpuSeconds: number;
  peakMb: number;
}

/* A process of its own, so that none pays for the one before: a run with the variables that follow, or JSON.parse of a file. */

const [variables = '{}', file] = process.argv.slice(2);
const { target } = readConfiguration(JSON.parse(variables), '/nonexistent');
const contract = loadContract();
const [began, before] = [performance.now(), process.cpuUsage()];
if (file) JSON.parse(readFileSync(file, 'utf8'));
else if (target.traffic) await judgeTraffic(contract, target);
else await judgeTarget(contract, { ...target, maxRps: Number.POSITIVE_INFINITY });
const { user, system } = process.cpuUsage(before);
const cost: Cost = {
  seconds: (performance.now() - began) / 1000,
  cpuSeconds: (user + system) / 1e6,
  peakMb: process.resourceUsage().maxRSS / 1000,
};
process.stdout.write(`\n${JSON.stringify(cost)}\n`);
