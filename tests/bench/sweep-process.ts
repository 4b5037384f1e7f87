import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadContract, type Operation } from '../../schemas/contract.ts';
import { textOf } from '../../schemas/json.ts';
import { Disclosure } from '../client/disclosure.ts';
import { createClient, type HttpClient, maxConcurrency } from '../client/http-client.ts';
import { readConfiguration, type Target } from '../client/target.ts';
import { sweptList } from '../exchanges/listCustomers/swept-list.ts';
import { pathOf } from '../exchanges/request.ts';
import { inOrder } from '../sweep/paging.ts';
import { Progress } from '../sweep/progress.ts';
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

/** The same requests with the same client, and nothing but JSON.parse of each response. */
async function bareLoop(client: HttpClient, operation: Operation, records: number): Promise<void> {
  const size = 1000;
  const offsets = Array.from({ length: Math.ceil(records / (size - 1)) }, (_, number) => number * (size - 1));
  const ask = (offset: number) => client.get(pathOf(operation, sweptList.page(size, offset)));
  for await (const answer of inOrder(offsets, ask, maxConcurrency))
    if ('body' in answer) JSON.parse(textOf(answer.body));
}

async function sweep(client: HttpClient, target: Target): Promise<void> {
  const contract = loadContract();
  const progress = new Marking(() => {}, false);
  const disclosure = new Disclosure(target, contract);
  await sweepEverything({ contract, target, disclosure, part: undefined, client, entries: [], progress });
}

const [kind = '', url = '', records = ''] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'bench-sweep-'));
const { target } = readConfiguration({ BASE_URL: url, REPORTS_DIR: folder, SWEEP: 'all' }, '/nonexistent');
loadContract();
const client = await createClient({ ...target, maxRps: Number.POSITIVE_INFINITY }, url);
try {
  // What a process takes before the first request is the same for one page and for a million.
  [began, before] = [performance.now(), process.cpuUsage()];
  const operation = loadContract().operations.find(({ id }) => id === 'listCustomers');
  if (kind === 'bare' && operation) await bareLoop(client, operation, Number(records));
  else await sweep(client, target);
  mark(Number(records));
  process.stdout.write(JSON.stringify(marks));
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
