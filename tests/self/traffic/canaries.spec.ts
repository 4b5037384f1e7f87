import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { runInProcess } from '../harness/in-process-run.ts';
import { Canaries } from '../redaction/canaries.ts';
import { harEntry, harOf } from './reading.ts';

const base = 'https://api.example/gate';
const customers = `${base}/svc/payment/api/v1/openapi/customers`;

/** A session of which everything is a secret: what is judged, what is not, and what stands around it. */
function session(canaries: Canaries): string {
  const mark = (place: string) => `${canaries.of(place)} ${canaries.phrase(place)}`;
  const plain = (place: string) => canaries.phrase(place);
  const headers = (place: string) => [
    { name: 'Content-Type', value: 'application/json' },
    ...['Cookie', 'Set-Cookie', 'Authorization', 'X-Trace'].map((name) => ({
      name,
      value: mark(`${place} ${name}`),
    })),
  ];
  const customer = {
    dial_code: plain('dial code'),
    phone: 7,
    reference_number: null,
    uuid: canaries.of('another uuid'),
    email: { [plain('name of a field')]: mark('email') },
    default_payment_token: { token_type: mark('token type'), token: plain('token'), state: 1 },
    [canaries.of('undeclared field')]: mark('undeclared value'),
  };
  const text = JSON.stringify({ code: '200', message: 5, data: { customer, customers: [customer] } });
  const entry = (place: string, url: string, response: object = {}) => ({
    ...harEntry({ headers: headers(place), content: { text, size: text.length }, ...response }),
    comment: mark(`${place} comment`),
    serverIPAddress: mark(`${place} address`),
    request: {
      method: 'GET',
      url,
      headers: headers(place),
      cookies: [{ name: mark(place), value: mark(place) }],
    },
  });
  return harOf([
    entry('list', customers),
    entry('page', `${customers}?limit=7&offset=123456789012`),
    entry('lookup', `${customers}/${canaries.of('identifier')}`),
    entry('query', `${customers}?${plain('parameter')}=${canaries.of('value')}`),
    entry('other host', `https://${canaries.of('host')}.example/${plain('path')}`),
    entry('user', `https://u:${canaries.of('password')}@api.example/x`),
    entry('type', customers, {
      headers: [{ name: 'Content-Type', value: `text/${canaries.of('media type')}` }],
    }),
    entry('not JSON', customers, { content: { text: mark('a body that is not JSON') } }),
    entry('status', customers, { status: 250, statusText: mark('status text') }),
    entry('rejected', customers, { status: 400 }),
  ]);
}

for (const [damage, broken] of [
  ['whole', []],
  ['cut', [expect.stringMatching(/^\[1\] ….har: ends early at byte \d+/)]],
  ['spoiled', [expect.stringMatching(/^\[1\] ….har: is not JSON at byte \d+/)]],
] as const)
  test(`nothing of a recording, nor of its name, gets into any output: ${damage}`, async () => {
    const canaries = new Canaries();
    const text = session(canaries);
    const TRAFFIC = test.info().outputPath(canaries.of('folder'), `${canaries.of('file name')}.har`);
    mkdirSync(path.dirname(TRAFFIC), { recursive: true });
    const spoiled = text.replace('"comment"', `${canaries.of('spoiled')} "comment"`);
    writeFileSync(TRAFFIC, { whole: text, cut: text.slice(0, -900), spoiled }[damage]);
    const env = { TRAFFIC, FAIL_ON: 'undeclared', BASE_URL: base, CI: 'true' };
    const { code, conformance, output, files } = await runInProcess(env);
    expect(code).toBe(1);
    expect(conformance?.traffic).toMatchObject({ sources: ['[1] ….har'], broken });
    expect(conformance?.findings.length ?? 0).toBeGreaterThan(damage === 'spoiled' ? -1 : 5);
    const left = [...files(), { name: 'the terminal', text: output }];
    // The recording itself stands beside the reports.
    expect(canaries.leaksIn(left.filter(({ name }) => !name.endsWith('.har')))).toEqual([]);
  });
