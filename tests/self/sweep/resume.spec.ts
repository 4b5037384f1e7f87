import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type Mock, startMock } from '../../../mock/server.ts';
import type { Swept } from '../../sweep/results/result.ts';
import { brokenIn, journalDir, sweepAt } from './sweep-run.ts';

const population = {
  customers: 2000,
  faults: [
    { name: 'customer: phone is null', every: 401 },
    { name: 'customer: default_payment_token/token_type is an unknown word', every: 333 },
    { name: 'customer: uuid is that of the customer before it', every: 150 },
  ],
};

let mock: Mock;
test.beforeEach(async () => {
  mock = await startMock({ population, choices: { maxLimit: 100 } });
});
test.afterEach(() => mock.close());

const pagesAsked = () =>
  mock.requests.map(({ path: asked }) => asked).filter((one) => one.includes('limit=100&'));
/** Those with a customer whose `uuid` is that of another one are requested again in any case. */
const pagesAskedTwice = () => pagesAsked().length - new Set(pagesAsked()).size;

test('a sweep that ends at any moment is resumed, requests no page again but those on their way, and says the same', async () => {
  const { result: whole, swept, sent } = await sweepAt(mock.url);
  const askedAgain = pagesAskedTwice();
  mock.requests.length = 0;
  for (const [RESUME, endsAfter] of [
    ['0', 2],
    ['1', 7],
    ['1', 1],
    ['1', 4],
  ] as const) {
    await expect(sweepAt(mock.url, { env: { RESUME }, endsAfter })).rejects.toThrow('ended');
    // What a process was about to write when it ended.
    appendFileSync(path.join(journalDir(), 'listCustomers.ndjson'), '{"page":{"number":7,"he');
    appendFileSync(path.join(journalDir(), 'listCustomers.prints'), Buffer.from([1, 2, 3, 4, 5]));
  }
  const resumed = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(resumed.said).toContain('going on after');
  expect(resumed.result).toEqual(whole);
  expect(resumed.sent).toBe(sent);
  expect(observationsIn(resumed.swept)).toEqual(observationsIn(swept));
  // Each of the four times, four were on their way.
  expect(pagesAskedTwice()).toBeLessThanOrEqual(askedAgain + 4 * 4);
  mock.requests.length = 0;
  const file = path.join(journalDir(), 'listCustomers.prints');
  const prints = readFileSync(file);
  appendFileSync(file, Buffer.alloc(16));
  const last = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(last).toMatchObject({ result: whole, sent });
  expect(pagesAsked()).toEqual([]);
  expect(readFileSync(file).equals(prints)).toBe(true);
});

for (const [what, isHidden, status] of [
  ['in its middle', (offset: number) => offset > 300 && offset < 450, 404],
  ['at its end', (offset: number) => offset === 990, 200],
] as const)
  test(`what a sweep of a list with a hole ${what} requests once more is counted once, wherever its journal ends`, async () => {
    const broken = await startMock({
      population: { customers: 1050 },
      choices: { maxLimit: 100 },
      alter: (answer, { parameters: { limit, offset } }) =>
        limit === '100' && isHidden(Number(offset)) ? { ...answer, status, body: {} } : answer,
    });
    const whole = await sweepAt(broken.url);
    expect(whole.result.blocked).toHaveLength(1);
    const file = path.join(journalDir(), 'listCustomers.ndjson');
    const lines = readFileSync(file, 'utf8').split('\n');
    for (let count = 2; count < lines.length; count += 1) {
      writeFileSync(file, `${lines.slice(0, count).join('\n')}\n`);
      const { sent, result } = await sweepAt(broken.url, { env: { RESUME: '1' } });
      expect([count, sent]).toEqual([count, whole.sent]);
      expect(result).toEqual(whole.result);
    }
    await broken.close();
  });

const observationsIn = (swept: Swept[]) => timeless(swept.map(({ observations }) => observations));

/** Without how long responses have taken. */
const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, one) => (/^(durationMs|firstByteMs)$/.test(name) ? undefined : one)),
  );

const others: [name: string, env: Record<string, string>][] = [
  ['target', { TARGET_NAME: 'another' }],
  ['profile', { PROFILE: 'documented' }],
  ['SWEEP', { SWEEP: '50', SWEEP_SEED: '1' }],
  ['SWEEP_KEY', { SWEEP_KEY: 'another key' }],
];

test('a journal of another sweep, or one that cannot be read, is rejected in one sentence', async () => {
  await sweepAt(mock.url);
  for (const [name, env] of others)
    await expect(sweepAt(mock.url, { env: { RESUME: '1', ...env } }), name).rejects.toThrow(
      `RESUME=1: the journal sweep/listCustomers.ndjson in REPORTS_DIR is of another ${name}; set what that run had, or unset RESUME to begin anew`,
    );
  const file = path.join(journalDir(), 'listCustomers.ndjson');
  const text = readFileSync(file, 'utf8');
  for (const [key, name] of [
    ['contract', 'contract'],
    ['address', 'target'],
    ['source', 'list'],
  ]) {
    writeFileSync(file, text.replace(`"${key}":"`, '$&x'));
    await expect(sweepAt(mock.url, { env: { RESUME: '1' } })).rejects.toThrow(`is of another ${name}`);
  }
  writeFileSync(file, text.replace('{"page"', '{page'));
  await expect(sweepAt(mock.url, { env: { RESUME: '1' } })).rejects.toThrow('cannot be read');
  writeFileSync(file, text);
  truncateSync(path.join(journalDir(), 'listCustomers.prints'), 64);
  await expect(sweepAt(mock.url, { env: { RESUME: '1' } })).rejects.toThrow('cannot be read');
});

test('without a journal RESUME=1 begins, and without RESUME an earlier journal counts for nothing', async () => {
  rmSync(journalDir(), { recursive: true, force: true });
  const first = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(first.result.judged).toBe(2000);
  mock.requests.length = 0;
  expect((await sweepAt(mock.url)).result).toEqual(first.result);
  expect(pagesAsked().length).toBeGreaterThan(20);
});

test('a journal holds no value and no identifier', async () => {
  const canary = /tok_|CUST-|@example|Gold|[0-9a-f]{8}-[0-9a-f]{4}-/;
  const { result } = await sweepAt(mock.url);
  expect(Object.keys(brokenIn(result)).length).toBeGreaterThan(1);
  for (const name of readdirSync(journalDir())) {
    const text = readFileSync(path.join(journalDir(), name), 'latin1');
    expect(text.length).toBeGreaterThan(1000);
    expect(canary.exec(text)?.[0], name).toBeUndefined();
  }
});
