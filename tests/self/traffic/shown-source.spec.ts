import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { atPlace } from '../../../src/redact/curl.ts';
import { buildEntryCommand } from '../../../src/traffic/shown-source.ts';
import { cleanEnvironment } from '../harness/whole-run.ts';
import { judgedTraffic } from './judging.ts';

test('repeat prints the broken value, also of a body that stands beside the recording', async () => {
  for (const name of ['playwright-attach-faulty/session.har', 'playwright-embed-faulty.har']) {
    const file = fileURLToPath(new URL(`recordings/${name}`, import.meta.url));
    const { results } = await judgedTraffic([file]);
    const found = results.find(({ address }) => address === 'getCard/data/card/expiration_date');
    const command = found?.findings[0]?.repeat ?? '';
    const env = { ...cleanEnvironment(), RECORDING_1: path.basename(file) };
    const said = execFileSync('sh', ['-euc', command], { cwd: path.dirname(file), encoding: 'utf8', env });
    expect(said.trim(), command).toMatch(/^".+"$/);
  }
});

test('of a line repeat prints the body too, and of any other source nothing does', () => {
  const commandOf = (source: string, isBase64?: true) =>
    buildEntryCommand(
      { source, number: '2.7', index: 1, byte: 9 },
      { holds: 'text', ...(isBase64 ? { isBase64 } : {}) },
    );
  const one = `tail -c +10 "\${RECORDING_2_7:?}" | head -n 1 | jq -r `;
  expect(commandOf('a.ndjson')).toBe(`${one}'.body'`);
  expect(commandOf('a.JSONL', true)).toBe(`${one}'.bodyBase64 | @base64d'`);
  expect([commandOf('a.zip'), atPlace(commandOf('a.zip'), '/code')]).toEqual(['', '']);
});
