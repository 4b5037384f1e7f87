import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { runInProcess } from '../harness/in-process-run.ts';
import { Canaries } from '../redaction/canaries.ts';
import { createHar, createHarEntry } from './reading.ts';

const base = 'https://api.example/gate';
const customers = `${base}/svc/payment/api/v1/openapi/customers`;

function createSession(canaries: Canaries): string {
  const createMark = (place: string) => `${canaries.getCode(place)} ${canaries.getWords(place)}`;
  const createPhrase = (place: string) => canaries.getWords(place);
  const headers = (place: string) => [
    { name: 'Content-Type', value: 'application/json' },
    ...['Cookie', 'Set-Cookie', 'Authorization', 'X-Trace'].map((name) => ({
      name,
      value: createMark(`${place} ${name}`),
    })),
  ];
  const customer = {
    dial_code: createPhrase('dial code'),
    phone: 7,
    reference_number: null,
    uuid: canaries.getCode('another uuid'),
    email: { [createPhrase('name of a field')]: createMark('email') },
    default_payment_token: { token_type: createMark('token type'), token: createPhrase('token'), state: 1 },
    [canaries.getCode('undeclared field')]: createMark('undeclared value'),
  };
  const text = JSON.stringify({ code: '200', message: 5, data: { customer, customers: [customer] } });
  const entry = (place: string, url: string, response: object = {}) => ({
    ...createHarEntry({ headers: headers(place), content: { text, size: text.length }, ...response }),
    comment: createMark(`${place} comment`),
    serverIPAddress: createMark(`${place} address`),
    request: {
      method: 'GET',
      url,
      headers: headers(place),
      cookies: [{ name: createMark(place), value: createMark(place) }],
    },
  });
  return createHar([
    entry('list', customers),
    entry('page', `${customers}?limit=7&offset=123456789012`),
    entry('lookup', `${customers}/${canaries.getCode('identifier')}`),
    entry('query', `${customers}?${createPhrase('parameter')}=${canaries.getCode('value')}`),
    entry('other host', `https://${canaries.getCode('host')}.example/${createPhrase('path')}`),
    entry('user', `https://u:${canaries.getCode('password')}@api.example/x`),
    entry('type', customers, {
      headers: [{ name: 'Content-Type', value: `text/${canaries.getCode('media type')}` }],
    }),
    entry('not JSON', customers, { content: { text: createMark('a body that is not JSON') } }),
    entry('status', customers, { status: 250, statusText: createMark('status text') }),
    entry('rejected', customers, { status: 400 }),
  ]);
}

for (const [damage, brokenSentences] of [
  ['whole', []],
  ['cut', [expect.stringMatching(/^\[1\] ….har: ends early at byte \d+/)]],
  ['spoiled', [expect.stringMatching(/^\[1\] ….har: is not JSON at byte \d+/)]],
] as const)
  test(`no output contains anything of a recording or its name: ${damage}`, async () => {
    const canaries = new Canaries();
    const text = createSession(canaries);
    const TRAFFIC = test
      .info()
      .outputPath(canaries.getCode('folder'), `${canaries.getCode('file name')}.har`);
    mkdirSync(path.dirname(TRAFFIC), { recursive: true });
    const spoiledText = text.replace('"comment"', `${canaries.getCode('spoiled')} "comment"`);
    writeFileSync(TRAFFIC, { whole: text, cut: text.slice(0, -900), spoiled: spoiledText }[damage]);
    const env = { TRAFFIC, FAIL_ON: 'undeclared', BASE_URL: base, CI: 'true' };
    const { code, conformance, output, files } = await runInProcess(env);
    expect(code).toBe(1);
    expect(conformance?.traffic).toMatchObject({ sources: ['[1] ….har'], broken: brokenSentences });
    expect(conformance?.findings.length ?? 0).toBeGreaterThan(damage === 'spoiled' ? -1 : 5);
    const writtenFiles = [...files(), { name: 'the terminal', text: output }];
    // The recording itself is beside the reports.
    expect(canaries.findLeaks(writtenFiles.filter(({ name }) => !name.endsWith('.har')))).toEqual([]);
  });
