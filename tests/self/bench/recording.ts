import { closeSync, openSync, writeSync } from 'node:fs';
import { customerOf } from '../harness/list-provider.ts';

const origin = 'https://api.example';
const customers = `${origin}/svc/payment/api/v1/openapi/customers`;

/** What differs in each round that is written: eight digits. */
const roundNumber = '@@@@@@@@';

function entry(url: string, body: object | string, mimeType = 'application/json'): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = Array.from({ length: 12 }, (_, at) => ({ name: `X-Header-${at}`, value: 'v'.repeat(30) }));
  return JSON.stringify({
    request: { method: 'GET', url, headers },
    response: {
      status: 200,
      headers: [{ name: 'Content-Type', value: mimeType }],
      content: { size: Buffer.byteLength(text), mimeType, text },
    },
  });
}

const listed = Array.from({ length: 20 }, (_, number) =>
  customerOf(number, {
    name: `Zoë ${roundNumber}`,
    uuid: `0b7e2a52-0000-4000-8${100 + number}-0000${roundNumber}`,
  }),
);
const [customer] = listed;
const page = entry(customers, { code: 200, message: 'success', data: { customers: listed } });
const lookup = entry(`${customers}/${customer?.uuid}`, { code: 200, message: 'success', data: { customer } });
const asset = entry(`${origin}/assets/application.js`, 'function main() {}\n'.repeat(400), 'text/javascript');

/**
 * Writes a HAR of about so many MiB of what a browser records: a page in ten entries, three lookups, and what an application
 * loads.
 */
export function writeRecording(file: string, mebibytes: number): void {
  const round = `,${[page, lookup, asset, asset, lookup, asset, asset, lookup, asset, asset].join()}`;
  const numbered = (at: number) =>
    round.replaceAll(roundNumber, String(at).padStart(roundNumber.length, '0'));
  const rounds = Math.ceil((mebibytes * 2 ** 20) / Buffer.byteLength(round));
  const output = openSync(file, 'w');
  writeSync(
    output,
    `{"log":{"version":"1.2","creator":{"name":"bench","version":"1"},"entries":[${numbered(0).slice(1)}`,
  );
  for (let at = 1; at < rounds; at += 1) writeSync(output, numbered(at));
  writeSync(output, ']}}');
  closeSync(output);
}
