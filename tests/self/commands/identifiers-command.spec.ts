import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { IdentifierCover } from '../../../commands/identifiers/identifier-cover.ts';
import { fewest } from '../../../commands/identifiers/set-cover.ts';
import { identifiers } from '../../../mock/seed.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { runScript } from '../harness/in-process-command.ts';
import { cleanEnvironment } from '../harness/whole-run.ts';
import { randomOf, runs, seed } from '../soak.ts';
import { line } from '../traffic/judging.ts';
import { readBytes } from '../traffic/reading.ts';

const recording = fileURLToPath(new URL('../traffic/recordings/mitmproxy-conforming.har', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs the command as npm does. */
function run(args: string[], input = '') {
  const command = ['--import', 'tsx', 'commands/identifiers.ts', ...args];
  return spawnSync(process.execPath, command, {
    cwd: root,
    input,
    encoding: 'utf8',
    env: cleanEnvironment(),
  });
}

test('identifiers of a recording are printed as variables, and a broken file is said apart', () => {
  const [card] = identifiers.CARD_IDS;
  const { stdout, stderr, status } = run(
    [recording, '-'],
    `${line()}{"url":"https://api.example/canary-4711`,
  );
  expect(stdout.split('\n')).toEqual([
    `CARD_IDS=${card}`,
    `CUSTOMER_IDS=${identifiers.CUSTOMER_IDS[0]}`,
    `USER_IDS=${identifiers.USER_IDS[1]}`,
    '',
  ]);
  // The recording is of the four operations of the contract.
  const said = stderr.split('\n').filter((text) => !/_IDS: no lookup was recorded/.test(text));
  expect(said).toEqual([
    expect.stringMatching(/^identifiers: -: ends early at byte \d+; what can be read is used$/),
    '',
  ]);
  expect(status).toBe(1);
});

test('without a file the command says what to name', async () => {
  const { stdout, stderr, status } = await runScript('identifiers', []);
  expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
  expect(stderr).toContain('name the files to read');
});

test('a file that is not there is said to be so', async () => {
  const { stdout, stderr, status } = await runScript('identifiers', ['/nonexistent/session.har']);
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
  expect(stderr).toBe('identifiers: /nonexistent/session.har: no such file\n');
});

test('a recording that holds nothing is said to, with the same status', async () => {
  const empty = test.info().outputPath('empty.jsonl');
  writeFileSync(empty, '');
  const { stdout, stderr, status } = await runScript('identifiers', [empty]);
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
  expect(stderr).toBe(`identifiers: ${empty}: it holds no recorded traffic\n`);
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

async function chosenOf(text: string): Promise<Record<string, string[]> & { unwritable: number }> {
  const cover = new IdentifierCover(loadContract(), undefined);
  for (const entry of await readBytes(text, { findRoute: cover.findRoute }))
    if (entry.kind === 'exchange') cover.take(entry);
  return Object.assign(Object.fromEntries(cover.chosen()), { unwritable: cover.unwritable });
}

test('the fewest are chosen that show every node and value seen', async () => {
  const text = [
    customer('bare-1'),
    customer('name-1', { name: 'n' }),
    customer('both-1', { name: 'n', email: 'e' }),
    customer('phone-1', { phone: '1' }),
    customer('none-1', {}, { status: 404 }),
  ].join('');
  expect((await chosenOf(text)).CUSTOMER_IDS).toEqual(['both-1', 'phone-1']);
});

test('an identifier that could be read as something else in a shell or a file is left out', async () => {
  const odd = ['a\nBASE_URL=x', 'a b', 'a,b', '$(id)', '`id`', 'a;b', '#', '"'];
  const { CUSTOMER_IDS, unwritable } = await chosenOf(odd.map((one) => customer(one)).join(''));
  expect({ CUSTOMER_IDS, unwritable }).toEqual({ CUSTOMER_IDS: [], unwritable: odd.length });
});

test('a variable that could hold none of the identifiers is said apart from one of no lookup', async () => {
  const file = test.info().outputPath('odd.ndjson');
  writeFileSync(file, customer('a,b'));
  const { stdout, stderr } = await runScript('identifiers', [file]);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^identifiers: CUSTOMER_IDS: .*identifier that a variable cannot hold$/m);
  expect(stderr).toMatch(/^identifiers: CARD_IDS: no lookup was recorded that found something$/m);
});

test('what is chosen covers all, and nothing of it is needless by the greedy choice', () => {
  const random = randomOf(seed);
  for (let run = 0; run < runs(20); run += 1) {
    const sets = Array.from({ length: 12 }, (_, name) => ({
      name: `${name}`,
      places: new Set(Array.from({ length: 4 }, () => `${Math.floor(random() * 15)}`)),
    }));
    const chosen = new Set(fewest(sets));
    const covered = (some: typeof sets) => new Set(some.flatMap(({ places }) => [...places]));
    expect(covered(sets.filter(({ name }) => chosen.has(name)))).toEqual(new Set(covered(sets)));
    expect(chosen.size).toBeLessThanOrEqual(sets.length);
  }
});
