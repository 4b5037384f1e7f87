import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { readArguments } from '../../../mock/arguments.ts';
import { faults } from '../../../mock/faults/index.ts';
import { recordFaults } from '../../../mock/population/record-faults.ts';
import { runScript } from '../harness/in-process-command.ts';

test('every option is read', () => {
  const line =
    '--port 4010 --customers 1000000 --seed 7 --latency 5 --max-limit 1000 --failing-pages 5000,70000x2 --inserts 50 --removals 70';
  const named = ['--fault', 'customer: phone is null@10007', '--fault', 'customer: name is null'];
  expect(readArguments([...line.split(' '), ...named])).toEqual({
    help: false,
    port: 4010,
    customers: 1_000_000,
    seed: 7,
    latency: 5,
    maxLimit: 1000,
    failingPages: [{ position: 5000 }, { position: 70_000, times: 2 }],
    inserts: 50,
    removals: 70,
    faults: [
      { ofCustomers: { name: 'customer: phone is null', every: 10_007 } },
      { ofCustomers: { name: 'customer: name is null', every: 1 } },
    ],
  });
});

test('without options the mock is the usual one, on the port of the environment if there is one', () => {
  expect(readArguments([])).toMatchObject({ port: 0, faults: [], failingPages: [], latency: 0 });
  expect(readArguments([], '4011').port).toBe(4011);
  expect(readArguments(['--port', '4010'], 'nonsense').port).toBe(4010);
});

test('each fault can be selected by its name', () => {
  const names = [...faults, ...recordFaults].map(({ name }) => name);
  expect(names.filter((name) => readArguments(['--fault', name]).faults.length !== 1)).toEqual([]);
});

const mistakes: [args: string[], says: string][] = [
  [['--custmers', '5'], 'there is no option --custmers: did you mean --customers?'],
  [['-c', '5'], 'there is no option -c: did you mean --'],
  [['--customers'], '--customers needs a value: --customers N'],
  [['--customers', 'many'], '--customers must be a whole number from 1 to 1000000000, not "many"'],
  [['--customers='], '--customers must be a whole number'],
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, not "65536"'],
  [['--seed', '1.5'], '--seed must be a whole number'],
  [['--latency', '-1'], '--latency must be a whole number'],
  [['--inserts', '0'], '--inserts must be a whole number from 1'],
  [['--removals', '5'], 'add --customers 1000'],
  [['--failing-pages', '5,x'], 'such as 5000,70000x2, not "x"'],
  [['1000'], '"1000" belongs to no option'],
  [['--fault', 'customer:phone'], 'did you mean "customer: phone is null"?'],
  [['--fault', 'getCard: HTTP 210'], 'did you mean "getCard: HTTP 201"?'],
  [
    ['--fault', 'getCard: HTTP 201@10'],
    'is a fault of answers, which has no every N-th customer: leave out @10',
  ],
  [['--fault', 'customer: phone is null@0'], '@0 must be a whole number from 1'],
  [['--fault', 'customer: phone is null@'], '@ must be a whole number from 1'],
];

for (const [args, says] of mistakes) {
  test(`a mistake gets one sentence: ${args.join(' ')}`, () => {
    expect(() => readArguments(args)).toThrow(says);
    expect(() => readArguments(args)).not.toThrow('\n');
  });
}

test('--help lists every option and every fault, and starts nothing', async () => {
  const { status, stdout } = await runScript('mock', ['--help', '--port', '0']);
  expect(status).toBe(0);
  for (const option of ['--customers N', '--failing-pages']) expect(stdout).toContain(option);
  // As a shell takes them, in case one has an apostrophe.
  const listed = stdout.match(/^ {2}'.*'$/gm)?.map((line) => line.trim()) ?? [];
  const taken = execFileSync('sh', ['-c', `printf '%s\\n' ${listed.join(' ')}`], { encoding: 'utf8' });
  expect(taken.trimEnd().split('\n')).toEqual([...faults, ...recordFaults].map(({ name }) => name));
});

test('a mistake ends the mock with one line', async () => {
  const { status, stdout, stderr } = await runScript('mock', ['--customers', 'many']);
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^mock: --customers must be .*\n$/m);
  expect(stderr).not.toMatch(/^ {4}at /m);
});
