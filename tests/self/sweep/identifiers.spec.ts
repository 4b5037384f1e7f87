import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { startMock } from '../../../mock/server.ts';
import { fitsPath } from '../../../src/operations/request.ts';
import { describeSweep } from '../../../src/sweep/summary.ts';
import { listAddressesToJudge } from '../../../src/verdict/changes.ts';
import { answering, type Condition } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { cleanEnvironment, configureTarget, writeTestFile } from '../harness/whole-run.ts';
import { createPopulation } from '../mock/population.ts';
import { createPlantedFault } from '../proof/named-faults.ts';
import { assign } from '../proof/variants/variant.ts';
import { sweepAt } from './sweep-run.ts';

const customers = 210;
const faults = [createPlantedFault('customer: phone is null', 101)];
const store = createPopulation({ customers });
const identifiers = store.list('all', 0, customers).map(({ uuid }) => uuid);

/** Writes identifiers to a file with a byte order mark and CRLF line ends. */
const writeIdentifiers = (lines: string[]) => writeTestFile('identifiers.txt', `\uFEFF${lines.join('\r\n')}`);

test('each identifier of a file is requested once, and reports name its line', async () => {
  const file = writeIdentifiers([...identifiers.slice(0, 150), '', ...identifiers.slice(150)]);
  const env = { CUSTOMER_IDS: `@${file}` };
  const { conformance, output, requests, files } = await runInProcessAgainst(
    { store: createPopulation({ customers, faults }) },
    env,
  );
  const phone = conformance?.requirements.find(
    ({ address }) => address === 'getCustomer/data/customer/phone',
  );
  expect(phone).toMatchObject({
    verdict: 'violation',
    swept: { judged: customers, broken: 2, records: 'lines of CUSTOMER_IDS', first: [101, 203] },
  });
  const lookups = requests.filter(({ path }) => identifiers.includes(path.split('/').at(-1) ?? ''));
  expect(new Set(lookups.map(({ path }) => path)).size).toBe(customers);
  expect(output).toContain('sweep: 210 lines of CUSTOMER_IDS, one request each');
  expect(output).toContain('sweep: 210 of about 210 lines of CUSTOMER_IDS, violations so far: 2');
  expect(output).not.toContain('not set: CUSTOMER_IDS');
  expect(output).toContain('by 2 of 210 lines of CUSTOMER_IDS (0.95 %), first at number 101, 203');
  expect(output).toContain('{CUSTOMER_IDS, line 101}');
  const reported = [output, ...files().map(({ text }) => text)].join('\n');
  expect(identifiers.filter((identifier) => reported.includes(identifier))).toEqual([]);
  const repeat =
    conformance?.findings.find(({ requirement }) => requirement === phone?.address)?.repeat ?? '';
  const [, shell = ''] = /(\$\(sed.*?@uri'\))/.exec(repeat) ?? [];
  const shellOutput = execFileSync('sh', ['-c', `printf %s "${shell}"`], {
    env: { ...cleanEnvironment(), CUSTOMER_IDS: `@${file}` },
  });
  expect(shellOutput.toString()).toBe(identifiers[100]);
});

test('identifiers of every variable may come from files', async () => {
  const { CARD_IDS = '', USER_IDS = '' } = configureTarget('');
  const env = { USER_IDS: '', CARD_IDS: `@${writeIdentifiers([CARD_IDS.split(',')[0] ?? ''])}` };
  const cards = await runInProcessAgainst({}, env);
  expect(cards.conformance?.sweeps).toMatchObject([{ operation: 'getCard', judged: 1 }]);
  const users = await runInProcessAgainst(
    {},
    { CARD_IDS: '', USER_IDS: `@${writeIdentifiers(USER_IDS.split(','))}` },
  );
  expect(users.conformance?.sweeps).toMatchObject([
    { operation: 'getFeeRules', judged: USER_IDS.split(',').length },
  ]);
  expect(users.requests.some(({ path }) => /type=user&user_id=/.test(path))).toBe(true);
});

test('a rejected identifier is named by its line, and may be unknown to the target', async () => {
  const unknown = '99999999-0000-4000-8000-000000000000';
  const lines = [...identifiers.slice(0, 30), unknown, ...identifiers.slice(30, 40), 'malformed'];
  const env = { CUSTOMER_IDS: `@${writeIdentifiers(lines)}` };
  const options = { store };
  const { conformance, output, files } = await runInProcessAgainst(options, env, /^getCustomer/);
  expect([output, ...files().map(({ text }) => text)].join('\n')).not.toContain(unknown);
  expect(output).toContain('the target rejects configured identifiers, which may be unknown there');
  expect(output).toContain('{CUSTOMER_IDS, line 31}');
  expect(output).not.toContain('violates the contract');
  expect(output).toContain('40 of 42 lines of CUSTOMER_IDS have a record; for 2, the response shows none');
  expect(conformance?.requirements.find(({ verdict }) => verdict === 'violation')).toMatchObject({
    address: 'getCustomer/parameters/id',
    affected: 2,
    swept: { judged: 42, broken: 2, records: 'lines of CUSTOMER_IDS' },
    reason: expect.stringContaining('2 of 42 configured identifiers were rejected; '),
  });
});

test('a tolerated deviation of the records in a file has no share', async () => {
  const token = { token_type: 'CreditCard', token: 'tok_a', state: 'Active', default: true };
  const { conformance } = await runInProcessAgainst(
    { store, alter: assign('customer', { default_payment_token: token }) },
    { CUSTOMER_IDS: `@${writeIdentifiers(identifiers.slice(0, 8))}` },
    /^getCustomer/,
  );
  const address = 'getCustomer/data/customer/default_payment_token/credit_card/present-with-card-token';
  const deviations = conformance?.requirements.filter(({ verdict }) => verdict === 'deviation');
  expect(deviations?.map((deviation) => [deviation.address, deviation.swept])).toEqual([
    [address, undefined],
  ]);
  // The next run may have no sweep, so it need not judge the requirement.
  expect(conformance && listAddressesToJudge(conformance)).not.toContain(address);
});

test('all figures count lines if every line of a file is rejected', async () => {
  const env = { CUSTOMER_IDS: `@${writeIdentifiers(identifiers.slice(0, 8))}` };
  const isLookup: Condition = ({ path }) => identifiers.some((identifier) => path.endsWith(identifier));
  const rejectedText =
    'every identifier of CUSTOMER_IDS was rejected with HTTP 200 and an error in the body: does the target know them?';
  for (const [response, expectedText] of [
    [{ status: 500 }, 'getCustomer/http/status: HTTP 500, by 8 of 8 lines'],
    [{ body: { code: 404, message: 'no', data: null } }, rejectedText],
  ] as const) {
    const options = { alter: answering('getCustomer', isLookup, response), store };
    const { conformance, output } = await runInProcessAgainst(options, env, /^getCustomer/);
    for (const text of [expectedText, '0 of 8 lines of CUSTOMER_IDS have a record; for 8, the response'])
      expect(output).toContain(text);
    expect(conformance?.sweeps).toMatchObject([{ judged: 0, withoutRecord: 8 }]);
    expect(conformance?.requirements.filter(({ swept: share }) => share?.judged === 0)).toEqual([]);
  }
});

test('a file is divided among shards, and an interrupted sweep of it is resumed', async () => {
  const mock = await startMock({ store });
  const env = { SWEEP: 'off', CUSTOMER_IDS: `@${writeIdentifiers(identifiers.slice(0, 50))}` };
  const shards = [1, 2].map((current) => sweepAt(mock.url, { env, shard: { current, total: 2 } }));
  expect((await Promise.all(shards)).map(({ summary }) => summary.judged)).toEqual([25, 25]);
  await expect(sweepAt(mock.url, { env, endsAfter: 40 })).rejects.toThrow('ended');
  mock.requests.length = 0;
  const { summary } = await sweepAt(mock.url, { env: { ...env, RESUME: '1' } });
  expect(summary).toMatchObject({ judged: 50, population: 50, blocked: [] });
  expect(mock.requests.length).toBe(10);
  await mock.close();
});

test('RESUME requests the lines again that got no response, HTTP 401, or the error of an overloaded target', async () => {
  const failures = [
    { status: 502, raw: '<html>bad gateway</html>' },
    { status: 429, body: { code: 429, message: 'no', data: null } },
    // The token has expired.
    { status: 401, body: { code: 401, message: 'no', data: null } },
    { abort: 'before' as const },
  ];
  let isDown = true;
  const mock = await startMock({
    store,
    alter: (response, { path }) => {
      const lineIndex = identifiers.indexOf(path.split('/').at(-1) ?? '');
      return isDown ? { ...response, ...failures[lineIndex - 10] } : response;
    },
  });
  const env = { SWEEP: 'off', CUSTOMER_IDS: `@${writeIdentifiers(identifiers.slice(0, 40))}` };
  const { summary, observations } = await sweepAt(mock.url, { env });
  expect(observations.filter(({ kind }) => kind !== 'success')).toHaveLength(4);
  expect(describeSweep(summary)).toEqual([
    '36 of 40 lines of CUSTOMER_IDS were judged',
    expect.stringMatching(
      /^not judged: lines of CUSTOMER_IDS, number 11: the target responded with HTTP 502/,
    ),
    expect.stringMatching(
      /^not judged: lines of CUSTOMER_IDS, number 12: the target responded with HTTP 429/,
    ),
    expect.stringMatching(/number 13: the credentials are rejected with HTTP 401/),
    expect.stringMatching(/number 14: the connection was reset/),
  ]);
  isDown = false;
  mock.requests.length = 0;
  const resumed = await sweepAt(mock.url, { env: { ...env, RESUME: '1' } });
  expect(mock.requests.map(({ path }) => identifiers.indexOf(path.split('/').at(-1) ?? ''))).toEqual([
    10, 11, 12, 13,
  ]);
  expect(describeSweep(resumed.summary)).toEqual(['40 of 40 lines of CUSTOMER_IDS were judged']);
  expect(resumed.observations.filter(({ kind }) => kind !== 'success')).toEqual([]);
  await mock.close();
});

test('RESUME rejects a file from which lines were removed', async () => {
  const mock = await startMock({ store });
  const judge = (env: Record<string, string>, count: number, endsAfter?: number) => {
    const CUSTOMER_IDS = `@${writeIdentifiers(identifiers.slice(50 - count, 50))}`;
    return sweepAt(mock.url, {
      env: { SWEEP: 'off', CUSTOMER_IDS, ...env },
      ...(endsAfter && { endsAfter }),
    });
  };
  await expect(judge({}, 50, 9)).rejects.toThrow('ended');
  await expect(judge({ RESUME: '1' }, 42)).rejects.toThrow('CUSTOMER_IDS file');
  await mock.close();
});

test('a sweep of a file stops if the target has stopped responding', async () => {
  const mock = await startMock();
  await mock.close();
  const env = { SWEEP: 'off', CUSTOMER_IDS: `@${writeIdentifiers(identifiers.slice(0, 50))}` };
  const stopped = 'the target has stopped responding';
  const { summary } = await sweepAt(mock.url, { env });
  expect(summary).toMatchObject({ judged: 0, stopped });
  expect(summary.blocked.at(-1)).toMatchObject({ to: undefined, reason: stopped });
  const ofShard = await sweepAt(mock.url, { env, shard: { current: 2, total: 2 } });
  const unreachableLines = ofShard.summary.blocked.filter(({ reason }) => reason !== stopped);
  const lastUnreachableLine = Math.max(...unreachableLines.map(({ to = 0 }) => to));
  // The second shard has the lines 2, 4, 6 and so on.
  expect(lastUnreachableLine % 2).toBe(0);
  expect(ofShard.summary.blocked.at(-1)?.from).toBe(lastUnreachableLine + 2);
  expect((await sweepAt(mock.url)).summary.stopped).toMatch(/^no request at `offset` 0 returned a page: /);
});

test('a path holds an identifier of at most 2,000 characters', () => {
  expect([2000, 2001].map((length) => fitsPath('a'.repeat(length)))).toEqual([true, false]);
});

test('a file with an identifier that cannot be sent is an error', async () => {
  const env = { CUSTOMER_IDS: `@${writeIdentifiers([identifiers[0] ?? '', '..'])}` };
  const { conformance, output, requests } = await runInProcessAgainst({ store }, env, /^(getCustomer|run)/);
  expect(output).toContain('lines of CUSTOMER_IDS, number 2: `.` and `..` name another path');
  expect(conformance?.gates?.find(({ address }) => address === 'run/sweep')?.verdict).toBe('error');
  expect(requests.filter(({ path }) => path.endsWith('/openapi/'))).toEqual([]);
});
