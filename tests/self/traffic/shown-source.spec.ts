import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { shownName } from '../../../src/traffic/shown-source.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { cleanEnvironment } from '../harness/whole-run.ts';
import { judgedTraffic, line } from './judging.ts';

for (const [name, shown] of [
  ['/home/maria/session.har', '….har'],
  ['C:\\Users\\maria\\session-07.har.gz', '….har.gz'],
  ['06-12-34-56-78', '…'],
])
  test(`of the file name ${name} is shown: ${shown}`, () => {
    expect(shownName(name ?? '')).toBe(shown);
  });

test('no report and no line of the terminal holds a path, or what a file name says of somebody', async () => {
  const id = '0b7e2a52-0000-4000-8000-000000000001';
  const TRAFFIC = test.info().outputPath(`maria.gonzalez-${id}.ndjson`);
  writeFileSync(TRAFFIC, `${line({ status: 201 })}${line().slice(0, 40)}`);
  const other = test.info().outputPath('gonzalez.har');
  writeFileSync(other, 'gonzalez');
  const { conformance, output, files } = await runInProcess({ TRAFFIC: `${TRAFFIC},${other}` });
  expect(conformance?.traffic?.sources).toEqual(['[1] ….ndjson', '[2] ….har']);
  expect(conformance?.traffic?.broken).toEqual([
    expect.stringMatching(/^\[1\] ….ndjson: ends early at byte \d+/),
    '[2] ….har: is not JSON; only what can be read was judged',
  ]);
  const own = files().filter(({ name }) => !/maria|gonzalez/.test(name));
  const left = [...own, { name: 'terminal', text: output }];
  const telling = left.filter(
    ({ text }) => /gonzalez|0b7e2a52/.test(text) || text.includes(path.dirname(TRAFFIC)),
  );
  expect(telling.map(({ name }) => name)).toEqual([]);
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
