import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { judgedTraffic, line } from './judging.ts';

const host = 'https://api.example';
const list = '/svc/payment/api/v1/openapi/customers';
const cards = '/svc/ts/api/v1/openapi/cards';
const id = '0b7e2a52-0000-4000-8000-000000000001';
const answer = (data: object) => JSON.stringify({ code: 200, message: '', data });
const customer = (reference: string) => ({ dial_code: '+1', reference_number: reference, uuid: 'cus-1' });
const second = (count: number) => `2026-01-02T03:04:0${count}.000Z`;

/** A page that shows a reference number, which began at this second. */
const page = (reference: string, startedAt: number, changes: object = {}) =>
  line({
    url: host + list,
    body: answer({ customers: [customer(reference)] }),
    startedAt: second(startedAt),
    ...changes,
  });

const on = (base: string) => ({ url: base + list });
const cardOf = (last_4_digits: string, startedAt: number, base = host) =>
  line({
    url: `${base}${cards}/${id}`,
    body: answer({ card: { id, last_4_digits } }),
    startedAt: second(startedAt),
  });

const unique = 'listCustomers/rules/uuid-is-unique';
const constant = 'getCard/rules/card-is-constant';
const ofRelations = (violated: string[]) => violated.filter((one) => [unique, constant].includes(one));

const untimed = { startedAt: '', durationMs: -1 };
const toAndFro = (changes: object) => [1, 2, 3].map((at) => page(at === 2 ? 'b' : 'a', at, changes));

/** Files of one recording, and which rules between responses they break. */
const recordings: [name: string, files: string[][], violated: string[]][] = [
  [
    'a change, exported twice',
    [
      [page('a', 1), page('b', 2)],
      [page('a', 1), page('b', 2), page('b', 3)],
    ],
    [],
  ],
  [
    'two windows side by side',
    [
      [page('a', 1), page('b', 3)],
      [page('a', 2), page('b', 4)],
    ],
    [],
  ],
  ['the later file first', [[page('b', 3)], [page('a', 1), page('b', 3)]], []],
  ['a change to and fro', [[page('a', 1), page('b', 2)], [page('a', 3)]], [unique]],
  ['requests side by side', [[page('a', 1), page('b', 2, { durationMs: 1001 }), page('a', 3)]], []],
  ['requests that say no duration', [toAndFro({ durationMs: -1 })], [unique]],
  ['requests without a time', [toAndFro({ startedAt: '', durationMs: -1 })], [unique]],
  [
    'requests without a time in several files',
    [[page('a', 1, untimed), page('b', 2, untimed)], [page('a', 3, untimed)]],
    [],
  ],
  [
    'a change, exported twice into one file without durations',
    [[1, 2, 1, 2].map((at) => page(at === 1 ? 'a' : 'b', at, { durationMs: -1 }))],
    [],
  ],
  [
    'several files without durations, within a minute',
    [[page('a', 1, { durationMs: -1 }), page('b', 2, { durationMs: -1 })], [page('a', 3)]],
    [],
  ],
  ['a change to and fro, the newest first', [[page('a', 3), page('b', 2), page('a', 1)]], []],
  ['two hosts', [[page('a', 1), page('b', 2, on('https://staging.example')), page('a', 3)]], []],
  ['two ports', [[page('a', 1), page('b', 2, on(`${host}:8443`)), page('a', 3)]], []],
  ['two prefixes', [[page('a', 1), page('b', 2, on(`${host}/staging`)), page('a', 3)]], []],
  [
    'one host in two notations',
    [[page('a', 1), page('b', 2, on('https://API.example:443')), page('a', 3)]],
    [unique],
  ],
  ['a card to and fro', [[cardOf('1111', 1), cardOf('2222', 2), cardOf('1111', 3)]], [constant]],
  [
    'a card, exported twice',
    [
      [cardOf('1111', 1), cardOf('2222', 2)],
      [cardOf('1111', 1), cardOf('2222', 2)],
    ],
    [],
  ],
  [
    'cards of two hosts',
    [[cardOf('1111', 1), cardOf('2222', 2, 'http://api.example'), cardOf('1111', 3)]],
    [],
  ],
];

for (const [name, files, expected] of recordings)
  test(`${name} breaks ${expected.join(', ') || 'nothing'}`, async () => {
    const paths = files.map((lines, index) => {
      const file = test.info().outputPath(`${index}.ndjson`);
      writeFileSync(file, lines.join(''));
      return file;
    });
    expect(ofRelations((await judgedTraffic(paths)).violated)).toEqual(expected);
  });
