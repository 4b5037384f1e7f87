import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createClient } from '../../client/http-client.ts';
import { bookOf, limiter } from '../../client/limiter.ts';
import { privateFolder } from '../../client/private-folder.ts';
import { readConfiguration } from '../../configuration/target.ts';

const address = 'http://example.com';
const uid = process.getuid?.() ?? 0;

/** A folder for temporary files of this test alone. */
function temporary(): string {
  const folder = test.info().outputPath('tmp');
  mkdirSync(folder, { recursive: true });
  return folder;
}

const nameIn = (parent: string) => path.join(parent, `lookup-api-conformance-${uid}`);

test('turns are booked in a folder that is its user\u2019s alone', () => {
  const parent = temporary();
  const folder = privateFolder(parent, uid);
  expect(folder).toBe(nameIn(parent));
  chmodSync(folder, 0o777);
  expect(privateFolder(parent, uid)).toBe(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a folder of somebody else, a link, a file, or no place for one: a sentence that says what to do', () => {
  const [linked, filed, foreign] = ['linked', 'filed', 'foreign'].map((name) => path.join(temporary(), name));
  for (const parent of [linked, filed, foreign]) mkdirSync(parent ?? '');
  symlinkSync(temporary(), nameIn(linked ?? ''));
  writeFileSync(nameIn(filed ?? ''), '');
  mkdirSync(`${foreign}/lookup-api-conformance-${uid + 1}`);
  expect(() => privateFolder(linked, uid)).toThrow(/is no folder: remove it, or set TMPDIR/);
  expect(() => privateFolder(filed, uid)).toThrow(/is no folder: remove it, or set TMPDIR/);
  expect(() => privateFolder(foreign, uid + 1)).toThrow(/belongs to another user: set TMPDIR/);
  expect(() => privateFolder('/nonexistent', uid)).toThrow(/cannot be made \(ENOENT\), set TMPDIR/);
});

test('no link is followed where turns are booked', async () => {
  const folder = privateFolder(temporary(), uid);
  const other = path.join(temporary(), 'other');
  writeFileSync(other, 'mine');
  symlinkSync(other, bookOf(address, folder));
  await expect(limiter(address, 5, { folder })()).rejects.toThrow('MAX_RPS cannot be kept');
  expect(readFileSync(other, 'utf8')).toBe('mine');
});

/** Books turns as another process would have, and says how long the next one waits, and what is logged. */
async function waitBehind(pid: number, aheadMs: number): Promise<{ waited: number; lines: string[] }> {
  const folder = privateFolder(temporary(), uid);
  const at = Date.now() + aheadMs;
  writeFileSync(bookOf(address, folder), JSON.stringify([{ pid, at, until: at + 100 }]));
  const lines: string[] = [];
  const turn = limiter(address, 10, { folder, print: (line) => lines.push(line) });
  const started = Date.now();
  await turn();
  return { waited: Date.now() - started, lines };
}

test('a run that waits for another says so', async () => {
  const { waited, lines } = await waitBehind(process.ppid, 3500);
  expect(waited).toBeGreaterThan(3400);
  expect(lines).toEqual(['  waiting 4 s for other runs against this target (MAX_RPS)\n']);
});

test('what a run has booked that was killed binds nobody', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const { waited, lines } = await waitBehind(pid, 60_000);
  expect(waited).toBeLessThan(1000);
  expect(lines).toEqual([]);
});

test('a booking of the far future is that of a clock that was set back', async () => {
  const { waited } = await waitBehind(process.ppid, 10_000_000);
  expect(waited).toBeLessThan(1000);
});

test('clients that ask at once share the rate', async () => {
  const folder = privateFolder(temporary(), uid);
  const turns = [limiter(address, 20, { folder }), limiter(address, 20, { folder })];
  const started = Date.now();
  await Promise.all(turns.flatMap((turn) => [1, 2, 3, 4, 5].map(() => turn())));
  expect(Date.now() - started).toBeGreaterThan(9 * 50 - 20);
});

test('a rate that nobody reaches is kept without a booking', async () => {
  const folder = privateFolder(temporary(), uid);
  await limiter(address, 10_000, { folder })();
  expect(readdirSync(folder)).toEqual([]);
  await limiter(address, 9_999, { folder })();
  expect(readdirSync(folder)).not.toEqual([]);
});

test('where a turn cannot be booked, the request is blocked, and nothing is thrown', async () => {
  const { target } = readConfiguration({}, '/nonexistent');
  const url = `http://${test.info().testId}.invalid`;
  const booked = bookOf(url, privateFolder());
  symlinkSync('/nonexistent', booked);
  const client = await createClient({ ...target, maxRps: 5 }, url);
  expect(await client.get('/a').finally(() => rmSync(booked))).toMatchObject({
    blocked: 'MAX_RPS cannot be kept: the folder for temporary files cannot be written',
  });
  await client.close();
});
