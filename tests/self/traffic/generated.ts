import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { judgeTraffic } from '../../run/judge-traffic.ts';
import { readTraffic } from '../../traffic/read-traffic.ts';
import { harEntry, harOf } from './reading.ts';

/** A page of the customers list, as many of which make a session. */
const page = {
  code: 200,
  message: 'success',
  data: {
    customers: Array.from({ length: 20 }, (_, index) => ({
      name: `Zoë Müller ${index}`,
      email: `zoe.mueller.${index}@example.com`,
      dial_code: '+49',
      reference_number: `CUST-${index}`,
      uuid: `0b7e2a52-0000-4000-8000-0000000000${index + 10}`,
    })),
  },
};

const mebibyte = 2 ** 20;

const origin = 'https://api.example';
const customers = `${origin}/svc/payment/api/v1/openapi/customers`;

function entryOf(url: string, body: object | string, mimeType = 'application/json'): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const content = { size: Buffer.byteLength(text), mimeType, text };
  const headers = Array.from({ length: 12 }, (_, at) => ({ name: `X-Header-${at}`, value: 'v'.repeat(30) }));
  // Without a time: those of one time would be one exchange.
  const untimed = { startedDateTime: undefined };
  return JSON.stringify(harEntry({ content }, { ...untimed, request: { method: 'GET', url, headers } }));
}

const [first] = page.data.customers;
const lookup = entryOf(`${customers}/${first?.uuid}`, { ...page, data: { customer: first } });
const asset = entryOf(
  `${origin}/assets/application.js`,
  'function main() {}\n'.repeat(400),
  'text/javascript',
);

/** What is another number in each page that is written: eight digits. */
const pageNumber = '@@@@@@@@';

/** A page of a list that is read to its end: a hundred customers, each with all fields, and every other one with a token. */
const fullPage = {
  ...page,
  data: { customers: Array.from({ length: 100 }, (_, index) => fullCustomer(index)) },
};

function fullCustomer(index: number) {
  const number = `${pageNumber}${String(index).padStart(4, '0')}`;
  const names = { name: `Zoë ${number}`, email: `${number}@example.com`, dial_code: '+49', phone: number };
  const keys = { reference_number: `CUST-${number}`, uuid: `0b7e2a52-0000-4000-8000-${number}` };
  const customer = { ...names, ...keys, default_payment_method: 'CreditCard' };
  return index % 2 === 0 ? customer : { ...customer, default_payment_token: tokenOf(number) };
}

function tokenOf(number: string) {
  const card = { number: '4', exp_month: '1', exp_year: '2030', holder_name: number, brand: 'Visa' };
  const credit_card = { ...card, billing_currency: 'EUR' };
  return { token_type: 'CreditCard', token: number, state: 'Active', default: true, credit_card };
}

/**
 * What a session is made of: pages of customers that repeat, pages of which no two are the same, full pages of which no
 * two customers are the same, or what a browser records, of which one entry in ten is a page, three are lookups, and the others are what a page of an application
 * loads. Of the last kind each lookup and page differs as well.
 */
const kinds = {
  repeating: [entryOf(customers, page)],
  differing: [entryOf(customers, page)],
  full: [entryOf(`${customers}?limit=100&offset=${pageNumber}`, fullPage)],
  mixed: [entryOf(customers, page), lookup, asset, asset, lookup, asset, asset, lookup, asset, asset],
};

export type SessionKind = keyof typeof kinds;

/** Writes a HAR of about so many MiB, and returns how many entries it has. */
export function writeSession(file: string, mebibytes: number, kind: SessionKind): number {
  const [head = '', tail = ''] = harOf(['ENTRY']).split('"ENTRY"');
  const round = `,${kinds[kind].join(',')}`;
  const perWrite = Math.ceil(mebibyte / round.length);
  const numbered = (at: number) =>
    kind === 'repeating'
      ? round
      : round
          .replaceAll('Müller 0', `Mü${String(at % 1e6).padStart(6, '0')}`)
          .replaceAll(pageNumber, String(at).padStart(pageNumber.length, '0'));
  const output = openSync(file, 'w');
  writeSync(output, head + numbered(99_999_999).slice(1));
  for (let count = 0; count < mebibytes; count++)
    writeSync(output, Array.from({ length: perWrite }, (_, at) => numbered(count * perWrite + at)).join(''));
  writeSync(output, tail);
  closeSync(output);
  return kinds[kind].length * (1 + mebibytes * perWrite);
}

export interface Time {
  /** Of processor time, all threads together: it depends little on what else the machine does. */
  milliseconds: number;
  wallMs: number;
}

export interface Cost extends Time {
  entries: number;
  peakBytes: number;
}

/** Looks at the memory of the process now and then: each look takes as long as to read some entries. */
function notePeak(cost: Pick<Cost, 'peakBytes'>): () => void {
  let calls = 0;
  return () => {
    if (calls++ % 16 === 0) cost.peakBytes = Math.max(cost.peakBytes, process.memoryUsage.rss());
  };
}

/** What it costs to read a file of traffic, and to let go of each entry at once. */
export async function costOfReading(file: string): Promise<Cost> {
  const cost = { entries: 0, peakBytes: 0 };
  const onProgress = notePeak(cost);
  const time = await timeOf(async () => {
    for await (const { kind } of readTraffic([file], { onProgress }))
      cost.entries += Number(kind === 'exchange');
  });
  return { ...cost, ...time };
}

/** What it costs to judge a file of traffic. */
export async function costOfJudging(file: string): Promise<Cost> {
  const cost = { entries: 0, peakBytes: 0 };
  const { target } = readConfiguration({ TRAFFIC: file }, '/nonexistent');
  const time = await timeOf(async () => {
    const onProgress = notePeak(cost);
    const { traffic } = await judgeTraffic(loadContract(), target, { onProgress });
    cost.entries = traffic?.judged ?? 0;
  });
  return { ...cost, ...time };
}

/** What JSON.parse costs for the same bytes, as text in memory. */
export const costOfParsing = (file: string): Promise<Time> =>
  timeOf(async () => void JSON.parse(readFileSync(file, 'utf8')));

async function timeOf(action: () => Promise<void>): Promise<Time> {
  const [start, startMs] = [process.cpuUsage(), performance.now()];
  await action();
  const { user, system } = process.cpuUsage(start);
  return { milliseconds: (user + system) / 1000, wallMs: performance.now() - startMs };
}
