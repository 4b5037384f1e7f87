import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { adaptCurlOutput } from '../../../src/redact/curl.ts';
import { buildBodyCommand } from '../../../src/traffic/shown-source.ts';
import { cleanEnvironment } from '../harness/whole-run.ts';
import { judgeSources } from './judging.ts';

test('repeat prints the broken value in any folder, even if the body is in a file beside the recording', async () => {
  for (const name of ['playwright-attach-faulty/session.har', 'playwright-embed-faulty.har']) {
    const file = fileURLToPath(new URL(`recordings/${name}`, import.meta.url));
    const { results } = await judgeSources([file]);
    const result = results.find(({ address }) => address === 'getCard/data/card/expiration_date');
    const command = result?.findings[0]?.repeat ?? '';
    const env = { ...cleanEnvironment(), RECORDING_1: path.relative(tmpdir(), file) };
    const output = execFileSync('sh', ['-euc', command], { cwd: tmpdir(), encoding: 'utf8', env });
    expect(output.trim(), command).toMatch(/^".+"$/);
  }
});

test('repeat prints the body of a line, and is empty for any other source', () => {
  const buildCommand = (source: string, isBase64?: true) =>
    buildBodyCommand(
      { source, number: '2.7', index: 1, byteOffset: 9 },
      { fidelity: 'text', ...(isBase64 ? { isBase64 } : {}) },
    );
  const lineCommand = `tail -c +10 "\${RECORDING_2_7:?}" | head -n 1 | jq -r `;
  expect(buildCommand('a.ndjson')).toBe(`${lineCommand}'.body'`);
  expect(buildCommand('a.JSONL', true)).toBe(`${lineCommand}'.bodyBase64 | @base64d'`);
  expect([buildCommand('a.zip'), adaptCurlOutput(buildCommand('a.zip'), '/code')]).toEqual(['', '']);
});
