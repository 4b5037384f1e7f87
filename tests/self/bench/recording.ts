import { closeSync, openSync, writeSync } from 'node:fs';
import { createListedCustomer } from '../harness/list-provider.ts';

const origin = 'https://api.example';
const customers = `${origin}/svc/payment/api/v1/openapi/customers`;

/** Placeholder in HAR entries, replaced by a number such as `00000042`. */
const counterPlaceholder = '@@@@@@@@';

function createEntry(url: string, body: object | string, mimeType = 'application/json'): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = Array.from({ length: 12 }, (_, index) => ({
    name: `X-Header-${index}`,
    value: 'v'.repeat(30),
  }));
  return JSON.stringify({
    request: { method: 'GET', url, headers },
    response: {
      status: 200,
      headers: [{ name: 'Content-Type', value: mimeType }],
      content: { size: Buffer.byteLength(text), mimeType, text },
    },
  });
}

const listedCustomers = Array.from({ length: 20 }, (_, number) => {
  const threeDigits = 100 + number;
  return createListedCustomer(number, {
    name: `Zoë ${counterPlaceholder}`,
    uuid: `0b7e2a52-0000-4000-8${threeDigits}-0000${counterPlaceholder}`,
  });
});
const [customer] = listedCustomers;
const pageEntry = createEntry(customers, {
  code: 200,
  message: 'success',
  data: { customers: listedCustomers },
});
const lookupEntry = createEntry(`${customers}/${customer?.uuid}`, {
  code: 200,
  message: 'success',
  data: { customer },
});
const assetEntry = createEntry(
  `${origin}/assets/application.js`,
  'function main() {}\n'.repeat(400),
  'text/javascript',
);

/** Writes a HAR file of at least `mebibytes` MiB, by repeating ten entries. */
export function writeRecording(file: string, mebibytes: number): void {
  const lookupWithAssets = [lookupEntry, assetEntry, assetEntry];
  const entryGroup = [pageEntry, ...lookupWithAssets, ...lookupWithAssets, ...lookupWithAssets].join();
  const formatGroup = (groupNumber: number) => {
    const counter = String(groupNumber).padStart(counterPlaceholder.length, '0');
    return entryGroup.replaceAll(counterPlaceholder, counter);
  };
  const groupCount = Math.ceil((mebibytes * 2 ** 20) / Buffer.byteLength(`${entryGroup},`));
  const output = openSync(file, 'w');
  writeSync(output, '{"log":{"version":"1.2","creator":{"name":"bench","version":"1"},"entries":[');
  writeSync(output, formatGroup(0));
  for (let number = 1; number < groupCount; number += 1) writeSync(output, `,${formatGroup(number)}`);
  writeSync(output, ']}}');
  closeSync(output);
}
