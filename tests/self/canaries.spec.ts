import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type Alter, startMock } from '../../mock/server.ts';
import { Canaries } from './canaries.ts';
import { breaches, greenRecord, provider, redRecord, uuid } from './marked.ts';
import { addressesOf, runSuite, type WholeRun } from './whole-run.ts';

test.setTimeout(120_000);

/** Runs with every reporter against a provider with marks in all that a target can say beside its records. */
async function runWith(canaries: Canaries, alter: Alter): Promise<WholeRun> {
  const headers = { 'x-owner': canaries.of('header'), 'set-cookie': `session=${canaries.of('cookie')}` };
  const mock = await startMock({ alter, choices: { headers } });
  const credentials = `${canaries.of('user')}:${canaries.of('password')}@`;
  try {
    return await runSuite(
      {
        BASE_URL: mock.url.replace('//', `//${credentials}`),
        CARD_IDS: `${uuid(canaries, 'card 1')},${uuid(canaries, 'card 2')}`,
        CUSTOMER_IDS: `${canaries.of('customer 1')},${canaries.of('customer 2')}`,
        USER_IDS: canaries.of('user id'),
        API_HEADERS: JSON.stringify({
          'X-Api-Key': canaries.of('key'),
          Cookie: `a=${canaries.of('own cookie')}`,
        }),
        MAX_RPS: '1000',
      },
      [],
    );
  } finally {
    await mock.close();
  }
}

const leaksOf = (canaries: Canaries, { output, files }: WholeRun) =>
  canaries.leaksIn([...files(), { name: 'the terminal', text: output }]);

test('the search finds a mark in every encoding', () => {
  const canaries = new Canaries();
  const mark = canaries.of('x');
  const basic = Buffer.from(`user:${mark}@example.com`).toString('base64');
  const forms = [
    mark,
    mark.toUpperCase(),
    `"…${mark.slice(0, 12)}`,
    encodeURIComponent(canaries.text('x')),
    basic,
  ];
  const texts = [...forms, JSON.stringify(canaries.text('x')), Buffer.from(`ab${mark}`).toString('hex')];
  for (const text of texts) expect(canaries.leaksIn([{ name: 'file', text }]), text).toEqual(['x in file']);
  expect(canaries.leaksIn([{ name: 'file', text: new Canaries().of('x') }])).toEqual([]);
});

test('green: nothing that a target says is written, nor what it was asked with', async () => {
  const canaries = new Canaries();
  const run = await runWith(canaries, provider(greenRecord(canaries)));
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  expect(leaksOf(canaries, run)).toEqual([]);
  const hidden = path.join(run.reportsDir, 'a/b/c.txt');
  mkdirSync(path.dirname(hidden), { recursive: true });
  writeFileSync(hidden, Buffer.from(`user:${canaries.of('password')}`).toString('base64'));
  expect(leaksOf(canaries, run), 'one that was put there').toEqual([
    `password in ${path.normalize('a/b/c.txt')}`,
  ]);
});

test('red: no value that breaks the contract is written', async () => {
  const canaries = new Canaries();
  const run = await runWith(canaries, provider(redRecord(canaries)));
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'fail' } });
  expect(addressesOf(run, 'violation').length).toBe(breaches);
  expect(leaksOf(canaries, run)).toEqual([]);
});

test('blocked: no refusal is written, nor the credentials that it refuses', async () => {
  const canaries = new Canaries();
  const body = { code: 401, message: canaries.text('refusal'), data: null };
  const headers = {
    'content-type': 'application/json',
    'www-authenticate': `Basic realm="${canaries.of('realm')}"`,
  };
  const run = await runWith(canaries, (answer) => ({ ...answer, status: 401, body, headers }));
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
  expect(leaksOf(canaries, run)).toEqual([]);
});

test('hostile: no error page, redirect, broken body or cut answer is written', async () => {
  const canaries = new Canaries();
  const page = `<title>${canaries.text('page')}</title>`;
  const run = await runWith(canaries, (answer, { operation }) => {
    const location = `https://${canaries.of('host')}.invalid/?token=${canaries.of('location')}`;
    if (operation === 'listCustomers') return { ...answer, status: 302, headers: { location } };
    if (operation === 'getCard')
      return { ...answer, status: 200, raw: `{"name":"${canaries.text('broken')}` };
    if (operation === 'getCustomer')
      return { ...answer, raw: page, headers: { 'content-type': canaries.of('type') } };
    return { ...answer, raw: canaries.text('cut').repeat(99), abort: 'middle' };
  });
  expect(run.code).toBe(1);
  expect(leaksOf(canaries, run)).toEqual([]);
});

test('wrong configuration: its values are not written', async () => {
  const canaries = new Canaries();
  const run = await runSuite(
    {
      BASE_URL: `ftp://${canaries.of('user')}:${canaries.of('password')}@127.0.0.1`,
      API_HEADERS: `{"X-Api-Key":"${canaries.of('key')}"`,
      PROFILE: canaries.of('profile'),
      MAX_PAGES: canaries.of('pages'),
    },
    [],
  );
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
  expect(leaksOf(canaries, run)).toEqual([]);
});
