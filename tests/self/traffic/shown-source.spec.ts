import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { shownName } from '../../../src/traffic/shown-source.ts';
import { cleanEnvironment } from '../harness/whole-run.ts';
import { judgedTraffic } from './judging.ts';

for (const [name, shown] of [
  ['/home/maria/session.har', '….har'],
  ['C:\\Users\\maria\\session-07.har.gz', '….har.gz'],
  ['06-12-34-56-78', '…'],
])
  test(`of the file name ${name} is shown: ${shown}`, () => {
    expect(shownName(name ?? '')).toBe(shown);
  });

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
