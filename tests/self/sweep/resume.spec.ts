import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { type Mock, startMock } from '../../../mock/server.ts';
import { JournalError, openJournal } from '../../../src/sweep/journal.ts';
import { summarizeSweep } from '../../../src/sweep/summary.ts';
import { readInterruptedSweep } from '../../../src/sweep/sweep.ts';
import { createPopulation } from '../mock/population.ts';
import { createPlantedFault } from '../proof/named-faults.ts';
import { fuzzBytes, runs, seed } from '../soak.ts';
import { reportsDir, type SweepRun, sweepAt } from './sweep-run.ts';

const faults = [
  createPlantedFault('customer: phone is null', 401),
  createPlantedFault('customer: default_payment_token/token_type is an integer', 333),
  createPlantedFault('customer: uuid is that of the customer before it', 150),
  createPlantedFault('customer: uuid is null', 140),
];

let mock: Mock;
test.beforeEach(async () => {
  mock = await startMock({
    store: createPopulation({ customers: 2000, faults }),
    alter: (response, { parameters }) =>
      parameters.offset === '300' ? { ...response, status: 500 } : response,
    choices: { maxLimit: 100 },
  });
});
test.afterEach(() => mock.close());

const journalPath = () => path.join(reportsDir(), 'sweep', 'listCustomers.ndjson');
const listPageRequests = () =>
  mock.requests.map((request) => request.path).filter((text) => text.includes('limit=100&'));

test('an interrupted sweep resumes with the next pages, and its result is that of an uninterrupted sweep', async () => {
  const uninterrupted = await sweepAt(mock.url);
  expect(uninterrupted.summary.blocked).toHaveLength(1);
  expect(uninterrupted.broken).toMatchObject({ 'listCustomers/rules/uuid-is-unique': [13, 150] });
  for (const [RESUME, endsAfter] of [
    ['0', 2],
    ['1', 7],
    ['1', 1],
    ['1', 4],
  ] as const) {
    await expect(sweepAt(mock.url, { env: { RESUME }, endsAfter })).rejects.toThrow('ended');
    // A killed process leaves an incomplete line.
    appendFileSync(journalPath(), '{"number":7,"he');
  }
  const resumed = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(resumed.output).toContain('continues after');
  expect(omitVaryingFields(resumed)).toEqual(omitVaryingFields(uninterrupted));
  mock.requests.length = 0;
  const resumedAgain = await sweepAt(mock.url, { env: { RESUME: '1' } });
  expect(omitVaryingFields(resumedAgain)).toEqual(omitVaryingFields(uninterrupted));
  // The failed page, the end of the list, and the first page that shows each shape of a customer.
  expect(new Set(listPageRequests().map((request) => /offset=(\d+)/.exec(request)?.[1]))).toEqual(
    new Set(['300', '2000', '0', '400', '600', '800', '900', '1200', '1300', '1600']),
  );
});

test('an interrupted sweep reports pages whose first request failed as not judged', async () => {
  // The page at offset 300 fails, and the sweep would have requested it again at its end.
  await expect(sweepAt(mock.url, { endsAfter: 12 })).rejects.toThrow('ended');
  const result = await readInterruptedSweep(reportsDir(), 'listCustomers', () => {});
  const summary = result && summarizeSweep(result);
  const lastReceived = 100 + (summary?.judged ?? 0);
  expect(lastReceived).toBeGreaterThan(400);
  const reason = 'the run was interrupted';
  expect(summary?.blocked).toEqual([
    { from: 301, to: 400, reason },
    { from: lastReceived + 1, to: undefined, reason },
  ]);
});

function omitVaryingFields(run: SweepRun): unknown {
  const { requests: _, ...result } = run.result;
  const varyingNames = ['durationMs', 'firstByteMs', 'id'];
  const omitVarying = (name: string, value: unknown) => (varyingNames.includes(name) ? undefined : value);
  return JSON.parse(JSON.stringify({ ...run, result, output: '' }, omitVarying));
}

test('a journal of another sweep is rejected in one sentence', async () => {
  await sweepAt(mock.url);
  for (const [name, env] of Object.entries({
    target: { TARGET_NAME: 'another' },
    profile: { PROFILE: 'documented' },
    SWEEP: { SWEEP: '50:1' },
  }))
    await expect(sweepAt(mock.url, { env: { RESUME: '1', ...env } }), name).rejects.toThrow(
      `RESUME=1: the journal sweep/listCustomers.ndjson in REPORTS_DIR belongs to another ${name}; set what that run had, or unset RESUME to start again`,
    );
});

test('a journal of an earlier version of the suite is rejected', async () => {
  await sweepAt(mock.url);
  const current = readFileSync(journalPath(), 'utf8');
  const earlier = current.replace(/("version of this suite":")[^"]+/, '$1earlier');
  expect(earlier).not.toBe(current);
  writeFileSync(journalPath(), earlier);
  await expect(sweepAt(mock.url, { env: { RESUME: '1' } })).rejects.toThrow(
    'belongs to another version of this suite',
  );
});

test('a sweep starts at the first page without a journal, without a page in the journal, and without RESUME', async () => {
  rmSync(reportsDir(), { recursive: true, force: true });
  const first = await sweepAt(mock.url, { env: { RESUME: '1' } });
  const startNote = '; begins with the first page, because REPORTS_DIR has no page of an earlier run\n';
  expect(first.output).toContain(startNote);
  const journalLines = readFileSync(journalPath(), 'utf8').split('\n');
  // The journal of a sweep that was interrupted before and after it was planned.
  for (const lineCount of [1, 2]) {
    writeFileSync(journalPath(), `${journalLines.slice(0, lineCount).join('\n')}\n`);
    expect((await sweepAt(mock.url, { env: { RESUME: '1' } })).output).toContain(startNote);
  }
  mock.requests.length = 0;
  expect((await sweepAt(mock.url)).result).toEqual(first.result);
  expect(listPageRequests().length).toBeGreaterThan(20);
});

test('a journal of any bytes is read line by line, or rejected as that of another sweep', async () => {
  const head = { target: 'a' };
  const line = '{"number":1}';
  const fragments = [`${JSON.stringify(head)}\n`, `${line}\n`, line, '5\n', 'null\n', '[]\n', ...'{}",:\n'];
  mkdirSync(path.dirname(journalPath()), { recursive: true });
  const isReadOrRejected = async (bytes: Buffer) => {
    writeFileSync(journalPath(), bytes);
    const lines: object[] = [];
    const options = { reportsDir: reportsDir(), resume: true };
    const opened = openJournal(options, 'listCustomers', head, {}, (entry) => lines.push(entry));
    const outcome: unknown = await opened.catch((error: unknown) => error);
    const isComplete = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '') === line;
    // Drops a character that is cut off at the end, as a stream does.
    const completeLines = new StringDecoder()
      .write(bytes)
      .split(/\r\n|[\n\r\u2028\u2029]/)
      .slice(1)
      .filter(isComplete);
    const readLines = lines.map((entry) => JSON.stringify(entry)).filter(isComplete);
    return (
      outcome instanceof JournalError ||
      (typeof outcome === 'function' &&
        readLines.length === completeLines.length &&
        !lines.some(Array.isArray))
    );
  };
  await fc.assert(fc.asyncProperty(fuzzBytes(fragments), isReadOrRejected), {
    seed,
    numRuns: runs(300),
  });
});
