import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { runScript } from '../harness/in-process-command.ts';
import { root } from '../harness/project-files.ts';
import { cleanEnvironment, writeTestFile } from '../harness/whole-run.ts';
import { createExchangeLine } from '../traffic/judging.ts';

const recording = fileURLToPath(new URL('../traffic/recordings/mitmproxy-conforming.har', import.meta.url));
test('identifiers of a recording are printed as variables, and a broken file is reported on standard error', () => {
  const command = ['--import', 'tsx', 'commands/identifiers.ts', recording, '-'];
  const input = `${createExchangeLine()}{"url":"https://api.example/canary-4711`;
  const { stdout, stderr, status } = spawnSync(process.execPath, command, {
    cwd: root,
    input,
    env: cleanEnvironment(),
    encoding: 'utf8',
  });
  const { CARD_IDS = [], CUSTOMER_IDS = [], USER_IDS = [] } = knownIdentifiers;
  const lines = `CARD_IDS=${CARD_IDS[0]}\nCUSTOMER_IDS=${CUSTOMER_IDS[0]}\nUSER_IDS=${USER_IDS[1]}\n`;
  // The recording covers only the four operations of the contract.
  expect({ stdout, status, stderr: stderr.replace(/.*_IDS: no lookup was recorded.*\n/g, '') }).toEqual({
    stdout: lines,
    status: 1,
    stderr: expect.stringMatching(/^identifiers: -: ends early at byte \d+; the readable part is used\n$/),
  });
});

test('a source without a recording is reported, with its exit status', async () => {
  const empty = writeTestFile('empty.jsonl', '');
  for (const [args, status, message] of [
    [[], 2, 'name the files to read: npm run identifiers -- session.har'],
    [['/nonexistent/session.har'], 1, '/nonexistent/session.har: no such file'],
    [[empty], 1, 'there is no recorded traffic'],
  ] as const)
    expect(await runScript('identifiers', [...args])).toEqual({
      stdout: '',
      stderr: `identifiers: ${message}\n`,
      status,
    });
});

const customersUrl = 'https://api.example/svc/payment/api/v1/openapi/customers/';

function createLookupLine(uuid: string, fields: object = {}, exchange: object = {}): string {
  const customer = { dial_code: '+1', reference_number: 'r', uuid, ...fields };
  const body = JSON.stringify({ code: 200, message: '', data: { customer } });
  return createExchangeLine({ url: customersUrl + encodeURIComponent(uuid), body, ...exchange });
}

async function chooseIdentifiers(
  recordedTraffic: string,
): Promise<{ chosenIdentifiers: string | undefined; stderr: string }> {
  const { stdout, stderr } = await runScript('identifiers', [
    writeTestFile('session.ndjson', recordedTraffic),
  ]);
  return { chosenIdentifiers: /^CUSTOMER_IDS=(.*)$/m.exec(stdout)?.[1], stderr };
}

test('identifiers are chosen that first show a node, a value or a violation', async () => {
  const text = [
    createLookupLine('bare-1'),
    createLookupLine('name-1', { name: 'n' }),
    createLookupLine('both-1', { name: 'n', email: 'e' }),
    createLookupLine('phone-1', { phone: '1' }),
    createLookupLine('both-2', { phone: '1', name: 'n' }),
    createLookupLine('null-1', { email: null }),
    createLookupLine('none-1', {}, { status: 404 }),
  ];
  expect((await chooseIdentifiers(text.join(''))).chosenIdentifiers).toBe(
    'bare-1,name-1,both-1,phone-1,null-1',
  );
  const otherBody = { body: '{"code":200,"message":"","data":{"rows":7}}' };
  const linesWithoutCustomer = [
    createLookupLine('none-1', {}, { status: 404 }),
    createLookupLine('export.csv', {}, otherBody),
  ];
  expect((await chooseIdentifiers(linesWithoutCustomer.join(''))).chosenIdentifiers).toBeUndefined();
});

test('an identifier that a shell or a file could misread is left out', async () => {
  const oddIdentifiers = [
    'a\nBASE_URL=x',
    'a b',
    'a,b',
    '$(id)',
    '`id`',
    'a;b',
    '#',
    '"',
    '~root',
    'a:~root',
  ];
  const { chosenIdentifiers, stderr } = await chooseIdentifiers(
    oddIdentifiers.map((identifier) => createLookupLine(identifier)).join(''),
  );
  expect(chosenIdentifiers).toBeUndefined();
  expect(stderr).toContain('CUSTOMER_IDS: no recorded lookup found a record\n');
});
