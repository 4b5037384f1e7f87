import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { type Mock, startMock } from '../../../mock/server.ts';
import { JournalError, openJournal } from '../../../src/sweep/journal.ts';
import { planted } from '../proof/named-faults.ts';
import { bytesWith, runs, seed } from '../soak.ts';
import { reportsDir, type SweepRun, sweepAt } from './sweep-run.ts';

const faults = [
  planted('customer: phone is null', 401),
  planted('customer: default_payment_token/token_type is an integer', 333),
  planted('customer: uuid is that of the customer before it', 150),
  planted('customer: uuid is null', 140),
];

let mock: Mock;
test.beforeEach(async () => {
  mock = await startMock({
    population: { customers: 2000, faults },
    alter: (answer, { parameters }) => (parameters.offset === '300' ? { ...answer, status: 500 } : answer),
    choices: { maxLimit: 100 },
  });
});
test.afterEach(() => mock.close());

const journal = () => path.join(reportsDir(), 'sweep', 'listCustomers.ndjson');
const pagesAsked = () =>
  mock.requests.map(({ path: asked }) => asked).filter((one) => one.includes('limit=100&'));

test('a sweep that ends at any moment is resumed, requests no page again but those on their way, and says the same', async () => {
  const whole = await sweepAt(mock.url);
  expect(whole.summary.blocked).toHaveLength(1);
  expect(whole.broken).toMatchObject({ 'listCustomers/rules/uuid-is-unique': [13, 150] });
  for (const [RESUME, endsAfter] of [
    ['0', 2],
    ['1', 7],
    ['1', 1],
    ['1', 4],
  ] as const) {
    await expect(sweepAt(mock.url, { env: { RESUME }, endsAfter })).rejects.toThrow('ended');
    // What a process was about to write when it ended.
    appendFileSync(journal(), '{"number":7,"he');
  }
  const resumed = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(resumed.said).toContain('going on after');
  expect(timeless(resumed)).toEqual(timeless(whole));
  mock.requests.length = 0;
  const again = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(timeless(again)).toEqual(timeless(whole));
  // What was not answered, the end, and the pages that show a form of customers first.
  expect(new Set(pagesAsked().map((one) => /offset=(\d+)/.exec(one)?.[1]))).toEqual(
    new Set(['300', '2000', '0', '400', '600', '800', '900', '1200', '1300', '1600']),
  );
});

/** Without how long responses have taken, and how many it took. */
const timeless = ({ result: { requests: _, ...result }, ...run }: SweepRun): unknown =>
  JSON.parse(
    JSON.stringify({ ...run, result, said: '' }, (name, one) =>
      /^(durationMs|firstByteMs|id)$/.test(name) ? undefined : one,
    ),
  );

test('a journal of another sweep is rejected in one sentence', async () => {
  await sweepAt(mock.url);
  for (const [name, env] of Object.entries({
    target: { TARGET_NAME: 'another' },
    profile: { PROFILE: 'documented' },
    SWEEP: { SWEEP: '50:1' },
  }))
    await expect(sweepAt(mock.url, { env: { RESUME: '1', ...env } }), name).rejects.toThrow(
      `RESUME=1: the journal sweep/listCustomers.ndjson in REPORTS_DIR is of another ${name}; set what that run had, or unset RESUME to begin anew`,
    );
});

test('without a journal RESUME=1 begins, and without RESUME an earlier journal counts for nothing', async () => {
  rmSync(reportsDir(), { recursive: true, force: true });
  const first = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(first.said).toContain('; from the first one, since REPORTS_DIR has none of an earlier run\n');
  mock.requests.length = 0;
  expect((await sweepAt(mock.url)).result).toEqual(first.result);
  expect(pagesAsked().length).toBeGreaterThan(20);
});

test('whatever bytes a journal holds, its whole lines are read, or it is of another sweep', async () => {
  const head = { target: 'a' };
  const line = '{"number":1}';
  const known = [`${JSON.stringify(head)}\n`, `${line}\n`, line, '5\n', 'null\n', '[]\n', ...'{}",:\n'];
  mkdirSync(path.dirname(journal()), { recursive: true });
  const holds = async (bytes: Buffer) => {
    writeFileSync(journal(), bytes);
    const lines: object[] = [];
    const options = { reportsDir: reportsDir(), resume: true };
    const opened = openJournal(options, 'listCustomers', head, {}, (one) => lines.push(one));
    const outcome: unknown = await opened.catch((error: unknown) => error);
    const isWhole = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '') === line;
    // As a stream is decoded: of a character that is cut at the end nothing is there.
    const whole = new StringDecoder()
      .write(bytes)
      .split(/\r\n|[\n\r\u2028\u2029]/)
      .slice(1)
      .filter(isWhole);
    const read = lines.map((one) => JSON.stringify(one)).filter(isWhole);
    return (
      outcome instanceof JournalError ||
      (typeof outcome === 'function' && read.length === whole.length && !lines.some(Array.isArray))
    );
  };
  await fc.assert(fc.asyncProperty(bytesWith(known), holds), { seed, numRuns: runs(300) });
});
