import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { knownIdentifiers, operations } from '../../../mock/operations.ts';
import { runScript } from '../harness/in-process-command.ts';
import { faultNames, readFault } from '../proof/named-faults.ts';

/* What the proof takes for granted of the mock: its command line, and customers that are computed on demand. */

const mistakeRows: [args: string[], message: string, PORT?: string][] = [
  [['--custmers', '5'], "Unknown option '--custmers'"],
  [['--max-limit', '0'], '--max-limit must be a whole number from 1 to 1000000000, not "0"'],
  [['--customers', 'many'], '--customers must be a whole number from 1 to 1000000000, not "many"'],
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, not "65536"'],
  [[], 'PORT must be a whole number from 0 to 65535, not "65536"', '65536'],
  [['--port', '65535', '--customers', '1', '--faults', 'none such'], 'no fault has "none such" in its name'],
];

test('a mistake in the options ends the mock with one line', async () => {
  for (const [args, message, PORT = ''] of mistakeRows) {
    const { status, stderr } = await runScript('mock', args, { PORT });
    expect({ status, lines: stderr.split('\n').length }).toEqual({ status: 1, lines: 2 });
    expect(stderr).toContain(`mock: ${message}`);
  }
});

test('a fault is selected by its name, and an unknown name is rejected with a similar one', () => {
  expect(faultNames.filter((name) => readFault(name).name !== name)).toEqual([]);
  expect(() => readFault('customer:phone')).toThrow('did you mean "customer: phone is');
  expect(() => readFault('getCard: HTTP 210')).toThrow('did you mean "getCard: HTTP 201"?');
  expect(readFault('GETCARD: http 201').name).toBe('getCard: HTTP 201');
  expect(readFault('Customer: Phone is NULL@7')).toMatchObject({ planted: { path: 'phone', every: 7 } });
  expect(() => readFault('getCard: HTTP 201@10')).toThrow(
    'is a fault of responses, not of customers: leave out @10',
  );
  expect(() => readFault('customer: phone is null@0')).toThrow('@0 must be a whole number from 1');
});

test('help is short, faults are listed as shell words, and neither starts the mock', async () => {
  for (const text of ['', 'HTTP 201']) {
    const { stdout } = await runScript('mock', ['--faults', text]);
    const script = `printf '%s\\n' ${stdout.replaceAll('\n', ' ')}`;
    const shellOutput = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(shellOutput.trimEnd().split('\n')).toEqual(faultNames.filter((name) => name.includes(text)));
  }
  expect((await runScript('mock', ['--help'])).stdout).toMatch(/^usage: (.*\n){5,14}$/);
});

test('a started mock prints how to point a run at it, answers as requested, and ends by a signal', async () => {
  const faults = ['--fault', 'customer: phone is null@7', '--fault', 'getCard: HTTP 201'];
  const { stdout } = await runScript('mock', ['--customers', '1000', '--max-limit', '2', ...faults]);
  const [, url = ''] = /export BASE_URL=(.*)/.exec(stdout) ?? [];
  expect(stdout.split('\n')).toEqual([
    `# The mock listens at ${url} (Ctrl+C stops it).`,
    '# customer: phone is null: 142 of 1,000 customers',
    '# getCard: HTTP 201: in each response that the fault is about',
    '# To point the suite at it:',
    `export BASE_URL=${url}`,
    ...Object.entries(knownIdentifiers).map(([variable, ids]) => `export ${variable}=${ids.join()}`),
    '',
  ]);
  const buildAddress = (id: string) => url + operations.find(({ operation }) => operation === id)?.path;
  const [cards, customers] = [buildAddress('getCard'), buildAddress('listCustomers')];
  expect((await fetch(cards.replace(':id', knownIdentifiers.CARD_IDS?.[0] ?? ''))).status).toBe(201);
  const { data } = (await (await fetch(`${customers}?limit=9&offset=6`)).json()) as {
    data: { customers: object[] };
  };
  expect(data.customers).toEqual([expect.objectContaining({ phone: null }), expect.anything()]);
  process.emit('SIGTERM');
  await expect(fetch(url)).rejects.toThrow();
});

test('a started mock names only customers that it has', async () => {
  const { stdout } = await runScript('mock', ['--customers', '1']);
  process.emit('SIGTERM');
  const [firstCustomer = ''] = knownIdentifiers.CUSTOMER_IDS ?? [];
  expect(stdout.split('\n')).toContain(`export CUSTOMER_IDS=${firstCustomer}`);
});
