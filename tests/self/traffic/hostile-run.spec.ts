import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { runInProcess } from '../harness/in-process-run.ts';
import { harEntry, harOf } from './reading.ts';

const canary = 'Canary7f3aQz';
const customers = '/svc/payment/api/v1/openapi/customers';
const request = { method: 'GET', url: `https://api.example${customers}`, headers: [] };
const entryWith = (text: string) => harEntry({ content: { text } }, { request });
const good = entryWith(JSON.stringify({ code: '200', message: canary, data: { customers: [] } }));
const nested = '['.repeat(10_000) + ']'.repeat(10_000);

const others = Array.from({ length: 1_000 }, (_, n) =>
  harEntry({}, { request: { ...request, url: `https://${canary}-${n}.example/cards` } }),
);
const wrong = [null, 7, [], { request }, harEntry({ status: '200' }, { request }), harEntry({ content: 7 })];

/** Whole runs over them: the verdict, and how many exchanges were judged. */
const files: [name: string, content: string | Uint8Array, verdict: string, judged: number][] = [
  ['not-json.har', canary, 'error', 0],
  ['cut.har', harOf([good, entryWith(canary)]).slice(0, -20), 'error', 1],
  ['deep.har', harOf([entryWith(nested), good]), 'fail', 2],
  ['beside.har', harOf([good]).replace('{"log"', `{"a":${nested},"log"`), 'fail', 1],
  ['bomb.har.gz', gzipSync(Buffer.alloc(2 ** 26, '[')), 'error', 0],
  ['types.har', harOf([...wrong, good]), 'fail', 1],
  ['hosts.har', harOf([...others, good]), 'fail', 1],
];

for (const [name, content, verdict, judged] of files)
  test(`a run over ${name} ends as ${verdict}, judges ${judged}, and shows nothing of it`, async () => {
    const TRAFFIC = path.join(test.info().outputDir, name);
    mkdirSync(path.dirname(TRAFFIC), { recursive: true });
    writeFileSync(TRAFFIC, content);
    const { code, conformance, output, files: written } = await runInProcess({ TRAFFIC });
    expect({ code, verdict: conformance?.verdict }).toEqual({ code: 1, verdict });
    expect(conformance?.traffic?.judged).toBe(judged);
    const texts = written().filter((file) => file.name !== name);
    expect(JSON.stringify(texts) + output).not.toContain(canary);
    expect(output).not.toMatch(/\n\s+at .*\(/);
  });
