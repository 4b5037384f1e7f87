import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadContract } from '../../schemas/contract/contract.ts';
import { textOf } from '../../schemas/json/read.ts';
import { createClient, type HttpClient, maxConcurrency } from '../client/http-client.ts';
import { readConfiguration, type Target } from '../configuration/target.ts';
import { Disclosure } from '../redaction/disclosure.ts';
import { inOrder } from '../sweep/paging/paging.ts';
import { Progress } from '../sweep/progress/progress.ts';
import { sweepEverything } from '../sweep/sweep.ts';

/** What a process has taken when so many records were looked at. */
export interface Mark {
  records: number;
  seconds: number;
  cpuSeconds: number;
  residentMb: number;
}

const marks: Mark[] = [];
let began = performance.now();
let before = process.cpuUsage();
const marksAt = [1000, 10_000, 100_000, 1_000_000];

function mark(records: number): void {
  const { user, system } = process.cpuUsage(before);
  const residentMb = process.memoryUsage.rss() / 1e6;
  marks.push({
    records,
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: (user + system) / 1e6,
    residentMb,
  });
}

/** Notes what was taken at some numbers of records. */
class Marking extends Progress {
  override update({ records }: { records: number }): void {
    const next = marksAt[marks.length];
    if (next !== undefined && records >= next) mark(records);
  }
}

/** The requests that a sweep has sent, with the same client, and nothing but JSON.parse of each response. */
async function bareLoop(client: HttpClient, requests: string[]): Promise<void> {
  for await (const answer of inOrder(requests, (path) => client.get(path), maxConcurrency))
    if ('body' in answer) JSON.parse(textOf(answer.body));
}

async function sweep(client: HttpClient, target: Target, progress: Progress): Promise<void> {
  const contract = loadContract();
  const disclosure = new Disclosure(target, contract);
  await sweepEverything({ contract, target, disclosure, part: undefined, client, entries: [], progress });
}

/** A client that notes which requests it sends. */
const noting = (client: HttpClient, requests: string[]): HttpClient => ({
  ...client,
  get(path, options) {
    requests.push(path);
    return client.get(path, options);
  },
});

const [kind = '', url = '', records = '', requestsFile = ''] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'bench-sweep-'));
const { target } = readConfiguration({ BASE_URL: url, REPORTS_DIR: folder, SWEEP: 'all' }, '/nonexistent');
const client = await createClient({ ...target, maxRps: Number.POSITIVE_INFINITY }, url);
try {
  // In a run the ordinary requests come first: what they compile is there when the sweep begins.
  await sweep(client, { ...target, sweep: 100, sweepSeed: 1 }, new Progress(() => {}, false));
  [began, before] = [performance.now(), process.cpuUsage()];
  const requests: string[] = [];
  if (kind === 'bare') await bareLoop(client, JSON.parse(readFileSync(requestsFile, 'utf8')));
  else await sweep(noting(client, requests), target, new Marking(() => {}, false));
  mark(Number(records));
  if (kind === 'sweep' && requestsFile) writeFileSync(requestsFile, JSON.stringify(requests));
  process.stdout.write(JSON.stringify(marks));
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
