import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readConfiguration } from '../../../src/run/target.ts';
import { againstMock, createCallersFolder, runSuite } from '../harness/whole-run.ts';

function readDotenv(content: string | Buffer) {
  const file = test.info().outputPath('.env');
  writeFileSync(file, content);
  return readConfiguration({}, file);
}

const text = `# note
MAX_RPS=2
 export TARGET_NAME = x y # note
API_HEADERS='{
  "X-Api-Key": "a # b"
}' # note

BASE_URL="https://a.example"
`;

test('.env may hold comments, exports, quotes and values of several lines, with any line breaks', () => {
  for (const content of [text, text.replaceAll('\n', '\r\n'), `\ufeff${text.replace('# note\n', '')}`]) {
    const { target, problems } = readDotenv(content);
    expect(problems).toEqual([]);
    const expected = { name: 'x y', maxRps: 2, headers: { 'X-Api-Key': 'a # b' } };
    expect(target).toMatchObject({ ...expected, baseUrl: 'https://a.example' });
  }
});

test('a variable of .env may be longer than a process can pass to another', async () => {
  const { folder, callerEnv } = createCallersFolder();
  const args = ['--grep=@getCard/http/status', '--reporter=./reports/reporter.ts'];
  const run = await againstMock({}, { ...callerEnv, FAIL_ON: '-unjudged' }, ({ CARD_IDS, ...env }) => {
    const manyCommas = ','.repeat(200_000);
    writeFileSync(path.join(folder, '.env'), `CARD_IDS="${CARD_IDS}${manyCommas}"\n`);
    // A variable that is empty in the environment would take precedence over `.env`.
    return runSuite({ ...env, CARD_IDS: undefined }, args);
  });
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
});

const secret = 's3cr3t';
const malformedLines = [
  `BASE_URL: http://${secret}`,
  `${secret} BASE_URL=x`,
  `BASE_URL\u202e=${secret}`,
  `"BASE_URL"="${secret}"`,
];

for (const line of malformedLines)
  for (const module of ['', 'AUTH_MODULE=tests/setup.ts\n'])
    test(`${JSON.stringify(module + line)} in .env is rejected without its text`, () => {
      const { problems } = readDotenv(`${module}BASE_URL=https://a.example\n${line}\nMAX_RPS=2\n`);
      expect(problems).toEqual([
        expect.stringMatching(/^\.env sets a name that is no variable of this suite: did you mean \w+\?$/),
      ]);
      expect(problems.join()).not.toMatch(/s3cr3t|[\p{Cc}\p{Cf}]/u);
    });
