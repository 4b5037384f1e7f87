import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { identifiers } from '../../../mock/seed.ts';
import { runScript } from '../harness/in-process-command.ts';
import { cleanEnvironment, fileOf } from '../harness/whole-run.ts';
import { line } from '../traffic/judging.ts';

const recording = fileURLToPath(new URL('../traffic/recordings/mitmproxy-conforming.har', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));

test('identifiers of a recording are printed as variables, and a broken file is said apart', () => {
  const command = ['--import', 'tsx', 'commands/identifiers.ts', recording, '-'];
  const input = `${line()}{"url":"https://api.example/canary-4711`;
  const { stdout, stderr, status } = spawnSync(process.execPath, command, {
    ...{ cwd: root, input, env: cleanEnvironment() },
    encoding: 'utf8',
  });
  const { CARD_IDS, CUSTOMER_IDS, USER_IDS } = identifiers;
  const lines = `CARD_IDS=${CARD_IDS[0]}\nCUSTOMER_IDS=${CUSTOMER_IDS[0]}\nUSER_IDS=${USER_IDS[1]}\n`;
  // The recording is of the four operations of the contract.
  expect({ stdout, status, stderr: stderr.replace(/.*_IDS: no lookup was recorded.*\n/g, '') }).toEqual({
    stdout: lines,
    status: 1,
    stderr: expect.stringMatching(/^identifiers: -: ends early at byte \d+; what can be read is used\n$/),
  });
});

test('what holds no recording is said, with the status for it', async () => {
  const empty = fileOf('empty.jsonl', '');
  for (const [args, status, says] of [
    [[], 2, 'name the files to read: npm run identifiers -- session.har'],
    [['/nonexistent/session.har'], 1, '/nonexistent/session.har: no such file'],
    [[empty], 1, 'no recorded traffic is there'],
  ] as const)
    expect(await runScript('identifiers', [...args])).toEqual({
      stdout: '',
      stderr: `identifiers: ${says}\n`,
      status,
    });
});

const url = 'https://api.example/svc/payment/api/v1/openapi/customers/';

/** A lookup of a customer with some optional fields. */
const customer = (uuid: string, fields: object = {}, response: object = {}) =>
  line({
    url: url + encodeURIComponent(uuid),
    body: JSON.stringify({
      code: 200,
      message: '',
      data: { customer: { dial_code: '+1', reference_number: 'r', uuid, ...fields } },
    }),
    ...response,
  });

/** Identifiers of customers that the command chooses from what was recorded, and what it says beside. */
async function chosenFrom(text: string): Promise<{ chosen: string | undefined; stderr: string }> {
  const { stdout, stderr } = await runScript('identifiers', [fileOf('session.ndjson', text)]);
  return { chosen: /^CUSTOMER_IDS=(.*)$/m.exec(stdout)?.[1], stderr };
}

test('of identifiers those are chosen that first show a node, a value or a break', async () => {
  const text = [
    customer('bare-1'),
    customer('name-1', { name: 'n' }),
    customer('both-1', { name: 'n', email: 'e' }),
    customer('phone-1', { phone: '1' }),
    customer('both-2', { phone: '1', name: 'n' }),
    customer('null-1', { email: null }),
    customer('none-1', {}, { status: 404 }),
  ];
  expect((await chosenFrom(text.join(''))).chosen).toBe('bare-1,name-1,both-1,phone-1,null-1');
  const other = { body: '{"code":200,"message":"","data":{"rows":7}}' };
  const nothing = [customer('none-1', {}, { status: 404 }), customer('export.csv', {}, other)];
  expect((await chosenFrom(nothing.join(''))).chosen).toBeUndefined();
});

test('an identifier that could be read as something else in a shell or a file is left out', async () => {
  const odd = ['a\nBASE_URL=x', 'a b', 'a,b', '$(id)', '`id`', 'a;b', '#', '"'];
  const { chosen, stderr } = await chosenFrom(odd.map((one) => customer(one)).join(''));
  expect(chosen).toBeUndefined();
  expect(stderr).toContain('CUSTOMER_IDS: no lookup was recorded that found something it can hold\n');
});
