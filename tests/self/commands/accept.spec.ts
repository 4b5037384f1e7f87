import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { findStaleEntries, listViolations, removeEntries } from '../../../commands/ledger-entries.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { getSpecPath } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { sweepNote } from '../../../src/verdict/evaluate.ts';
import { altering, applyInOrder, set } from '../harness/edits.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { createCallersFolder } from '../harness/whole-run.ts';
import { acceptViolations, contract, createReport, ledger } from './accepting.ts';

const formlessFinding: Partial<Finding> = { pointer: 'http', actual: 'an empty body' };
const passedRequirements = [{ address: 'getCard/code', verdict: 'pass' }] as never;
const rejectedRows: [address: string, run: Partial<Conformance>, message: string][] = [
  ['getCard/data/card/expiration', {}, 'did you mean getCard/data/card/expiration_date'],
  ['getCard/code', { selection: { selected: 1, total: 117 } }, 'only some of the requirements'],
  ['getCard/code', { shard: { current: 1, total: 2 } }, 'the last run is a shard'],
  ['getCard/code', { contract: '0123456789ab' }, 'judged another contract (0123456789ab'],
  ['getCard/code', { profile: 'documented' }, 'PROFILE=documented'],
  ['getCard/code', { requirements: [] }, 'it was not judged'],
  [
    'getCard/code',
    { requirements: passedRequirements },
    'its verdict is pass, and there is nothing to accept',
  ],
  ['getCard/http/json', {}, 'no ledger entry can tolerate this alone: an empty body'],
];
test('a run that cannot show what to accept is rejected', () => {
  for (const [violatedAddress, overrides, message] of rejectedRows) {
    const finding = { kind: 'violation', requirement: violatedAddress, ...formlessFinding } as Finding;
    const run = createReport(violatedAddress, [finding], overrides);
    expect(() => acceptViolations(violatedAddress, run), message).toThrow(message);
    if (Object.keys(overrides).some((key) => key !== 'requirements'))
      for (const readRun of [listViolations, findStaleEntries])
        expect(() => readRun(contract, run), message).toThrow(message);
  }
});

test('the command rejects incomplete and invalid options', async () => {
  const because = ['--because', 'The old gateway does this.'];
  const link = ['--link', 'https://tracker.example.com/4711'];
  const commandLine = ['getCard/code', ...because, ...link];
  for (const [args, message] of [
    [[...because, ...link], 'missing: the ADDRESS of the requirement\n'],
    [['getCard/code'], 'missing: --because REASON, why it is tolerated; --link URL, where it is tracked\n'],
    [['getCard/code', '--because', ' ', ...link], 'missing: --because REASON, why it is tolerated\n'],
    [[...commandLine, '--reason', 'x'], "Unknown option '--reason'"],
    [['getCard/code', ...because, '--link', 'JIRA-1'], '--link must be an address'],
    [[...commandLine, '--until', '2020-11-21'], '--until 2020-11-21 is in the past'],
    [[...commandLine, '--until', '2099-02-30'], '--until 2099-02-30 is no day that exists'],
    [['--remove', 'getCard/code'], '--remove removes all unused entries: give it without ADDRESS'],
  ] as const) {
    const stderr = expect.stringContaining(`accept: ${message}`);
    expect(await runCommand('commands/accept.ts', [...args])).toMatchObject({ status: 2, stderr });
  }
});

const acceptableFinding = {
  kind: 'violation',
  requirement: 'getCard/code',
  received: { schema: { const: 0 } },
} as Finding;
const addEntry = (text: string, findings = [acceptableFinding], overrides: Partial<Conformance> = {}) =>
  acceptViolations('getCard/code', createReport('getCard/code', findings, overrides), text);
const listForms = (text: string) => readLedger(text, contract).map(({ accepts }) => accepts);

test('comments and order of the ledger stay byte for byte, and an empty ledger gets its first entry', () => {
  expect(addEntry(ledger).startsWith(ledger)).toBe(true);
  expect(addEntry(ledger)).toContain('  accepts: { schema: { const: 0 } }\n');
  const requirements = [{ address: 'getCard/code', verdict: 'violation', reason: sweepNote }] as never;
  expect(
    acceptViolations('getCard/code', createReport('getCard/code', [acceptableFinding], { requirements })),
  ).toMatch(/ swept: true\n$/);
  const oddLedger =
    '# head\n\n-   requirement: getCard/code # why\n    accepts: {schema: {const: 7}}\n    because: "x"\n    link: https://a.b\n';
  expect(addEntry(oddLedger).match(/#.*/g)).toEqual(['# head', '# why']);
  for (const text of ['', '# Tolerated deviations.\n', '# Tolerated deviations.\n[]\n']) {
    expect(readLedger(addEntry(text), contract)).toHaveLength(1);
    expect(addEntry(text).startsWith(text.replace('[]\n', ''))).toBe(true);
  }
});

test('several violations at once get one entry for missing values and one list of values', () => {
  const createFinding = (received: Finding['received']) => ({ ...acceptableFinding, received }) as Finding;
  const severalFindings = [
    createFinding({ missing: true }),
    acceptableFinding,
    createFinding({ schema: { const: 1 } }),
  ];
  const entries = [{ missing: true }, { schema: { enum: [0, 1] } }];
  expect(listForms(addEntry(ledger, severalFindings)).slice(-2)).toEqual(entries);
  const toleratedFinding = { ...createFinding({ schema: { const: 2 } }), kind: 'deviation' } as const;
  expect(addEntry(ledger, [acceptableFinding, toleratedFinding])).toBe(addEntry(ledger));
  // Only new forms get an entry.
  const ledgerAfterFirst = addEntry(ledger);
  const missingValue = createFinding({ missing: true });
  expect(() => addEntry(addEntry(ledgerAfterFirst, [missingValue]))).toThrow(
    /already, in line \d+: run .*, or change that entry$/,
  );
  expect(listForms(addEntry(ledgerAfterFirst, [missingValue, acceptableFinding]))).toEqual([
    ...listForms(ledgerAfterFirst),
    { missing: true },
  ]);
  expect(listForms(addEntry(ledgerAfterFirst, [acceptableFinding], { target: 'staging' }))).toHaveLength(
    listForms(ledgerAfterFirst).length + 1,
  );
});

test('another name gets an entry of its own, unless the field is missing elsewhere', () => {
  const requirement = 'getCustomer/data/customer/dial_code';
  const findings = (['dialCode', 'DialCode'] as const).map(
    (name) => ({ ...acceptableFinding, requirement, received: { name } }) as Finding,
  );
  const missingFinding = { ...acceptableFinding, requirement, received: { missing: true } } as Finding;
  const accept = (...violations: Finding[]) =>
    listForms(acceptViolations(requirement, createReport(requirement, violations), ''));
  expect(accept(...findings)).toEqual([{ name: 'dialCode' }, { name: 'DialCode' }]);
  expect(accept(...findings, missingFinding)).toEqual([{ missing: true }]);
});

for (const [address, received, isAcceptable] of [
  ['getCard/code', { schema: { const: 0 } }, true],
  ['getCustomer/rules/listed-is-found', undefined, false],
  ['listCustomers/parameters/limit', { schema: { const: 400 } }, false],
] as const)
  test(`the list of the command says whether an entry can tolerate ${address}`, () => {
    const finding = { ...acceptableFinding, requirement: address, actual: 'x', received } as Finding;
    const run = createReport(address, [finding]);
    expect(listViolations(contract, run)).toEqual([{ address, description: 'x', isAcceptable }]);
    const accept = () => readLedger(acceptViolations(address, run), contract);
    if (isAcceptable) accept();
    else expect(accept).toThrow(address);
  });

test('an entry for a parameter is rejected, because only its status could be tolerated', () => {
  const limit = 'listCustomers/parameters/limit';
  const finding = {
    ...acceptableFinding,
    requirement: limit,
    received: { schema: { const: 400 } },
  } as Finding;
  const text = acceptViolations(limit, createReport(limit, [finding]));
  expect(() => readLedger(text, contract)).toThrow('cannot be tolerated here; name the http/status');
});

test('a whole run, the command and a run with the entry list, tolerate and remove a deviation in the ledger of the caller', async () => {
  const address = 'getCard/data/card/physical_status';
  const folder = test.info().outputPath('caller');
  const env = { TARGET_NAME: 'mock', REPORTS_DIR: path.join(folder, 'reports') };
  const inodeBefore = statSync(getSpecPath('ledger.yaml')).ino;
  const environment = { ...env, LEDGER_FILE: path.join(folder, 'conformance/ledger.yaml') };
  const name = path.relative('', environment.LEDGER_FILE);
  const runAccept = async (...args: string[]) => {
    const { stdout, stderr } = await runCommand('commands/accept.ts', args, environment);
    return stdout + stderr;
  };
  const listArguments = (...addresses: string[]) =>
    `${addresses.join(' ')} --because x --link https://a.example/1 --until 2999-12-31`.split(' ');
  const otherAddress = 'getCard/data/card/settlement_currency';
  const alter = applyInOrder(
    altering('getCard', set('data/card/physical_status', 'Mislaid')),
    altering('getCard', set('data/card/settlement_currency', 7)),
  );
  await runInProcessAgainst({ alter }, env);
  expect(await runAccept()).toBe(
    `${otherAddress}\n  the number 7\n${address}\n  the string "Mislaid"\n\nTolerate one or several: npm run accept -- '${otherAddress}' --because REASON --link URL\n`,
  );
  const fromOutside = await runCommand('commands/accept.ts', [], {
    ...environment,
    ...createCallersFolder().callerEnv,
  });
  expect(fromOutside.stdout).toMatch(/ several: npm --prefix \S+ run accept -- /);
  const formatEntry = (requirement: string, value: string) =>
    `- requirement: ${requirement}\n  accepts: { schema: { const: ${value} } }\n  because: x\n  link: https://a.example/1\n  target: mock\n  until: 2999-12-31`;
  const entry = formatEntry(address, 'Mislaid');
  expect(await runAccept(...listArguments(address), '--dry-run')).toBe(
    `${name}, at the beginning:\n${entry.replace(/^/gm, '+')}\n`,
  );
  expect(await runAccept(...listArguments(address, otherAddress, address), '--dry-run')).toBe(
    `${name}, at the beginning:\n${`${entry}\n\n${formatEntry(otherAddress, '7')}`.replace(/^/gm, '+')}\n`,
  );
  expect(await runAccept(...listArguments(otherAddress, 'getCard/cod'))).toBe(
    'accept: there is no requirement getCard/cod; did you mean getCard/code?\n',
  );
  expect(existsSync(environment.LEDGER_FILE)).toBe(false);
  for (const [file, message] of [
    [folder, /^accept: LEDGER_FILE \(\S+\) cannot be read: it names a folder: give the path of a file$/m],
    [
      path.join(folder, 'reports/conformance.json/ledger.yaml'),
      /^accept: \S+ \(\S+\) cannot be written: a file stands where a folder must be; name another folder$/m,
    ],
  ] as const) {
    const ledgerEnv = { ...environment, LEDGER_FILE: file };
    const { status, stderr } = await runCommand('commands/accept.ts', listArguments(address), ledgerEnv);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  }
  const today = new Date().toISOString().slice(0, 10);
  expect(await runAccept(...listArguments(otherAddress), '--until', today, '--dry-run')).toContain(
    `+  until: ${today}\n`,
  );
  // A partial run leaves the last whole run in place to be accepted from.
  await runInProcessAgainst({}, env, /^getFeeRules\/code$/);
  expect(await runAccept()).toMatch(
    /^From the last whole run, of .* UTC; the run of .* UTC judged only 1 of \d+ requirements\.\n\n/,
  );
  expect(await runAccept(...listArguments(address))).toContain(`${name}, line 1: written`);
  expect(await runAccept(...listArguments(otherAddress, address))).toContain(
    `accepts ${address} already, in line 1: run again to see it tolerated, or change that entry`,
  );
  expect(await runAccept(...listArguments(otherAddress))).toMatch(
    /, after line 6:\n\+\n\+- requirement: [\s\S]*, line 8: written\. Run/,
  );

  const tolerantRun = await runInProcessAgainst({ alter }, environment);
  expect(tolerantRun.conformance).toMatchObject({ verdict: 'pass' });
  expect(tolerantRun.output).toContain(`. x (${name}, line 1, until 2999-12-31, https://a.example/1)`);
  expect(await runAccept('--remove')).toContain('The last run found no unused entry');

  const fixedRun = await runInProcessAgainst({}, environment);
  expect(fixedRun.conformance).toMatchObject({ verdict: 'fail' });
  expect(await runAccept()).toContain(
    'no violation, and entries that tolerate nothing: npm run accept -- --remove',
  );
  expect(await runAccept('--remove', '--dry-run')).toContain(
    `${name}, line 1: would be removed, ${address}\n`,
  );
  expect(await runAccept('--remove')).toBe(
    `${name}, line 1: removed, ${address}\n${name}, line 8: removed, ${otherAddress}\n`,
  );
  expect(await runAccept('--remove')).toContain('ledger.yaml has changed since the last run');
  expect((await runInProcessAgainst({}, environment)).conformance).toMatchObject({ verdict: 'pass' });
  expect(await runAccept()).toBe('The last run has found no violation.\n');
  expect(statSync(getSpecPath('ledger.yaml')).ino).toBe(inodeBefore);
});

test('a removal leaves comments, order and other entries unchanged', () => {
  const formatEntry = (value: number) =>
    `# of ${value}\n- requirement: getCard/code\n  accepts: { schema: { const: ${value} } }\n  because: x\n  link: https://a.b\n`;
  const text = ['# head\n', formatEntry(1), formatEntry(2), formatEntry(3)].join('\n');
  const stale = { requirement: 'getCard/code', line: 4 };
  const removeFrom = (...places: (typeof stale)[]) => removeEntries({ text, name: 'mine' }, contract, places);
  expect(removeFrom(stale)).toBe(['# head\n', formatEntry(2), formatEntry(3)].join('\n'));
  expect(removeFrom(stale, { ...stale, line: 16 })).toBe(['# head\n', formatEntry(2)].join('\n'));
  expect(readLedger(removeFrom(stale, { ...stale, line: 10 }, { ...stale, line: 16 }), contract)).toEqual([]);
  expect(() => removeFrom({ ...stale, line: 5 })).toThrow('mine has changed since the last run');
  const textWithSection = ['# head\n', formatEntry(1), '# Section\n', formatEntry(2)].join('\n');
  expect(removeEntries({ text: textWithSection, name: '' }, contract, [stale])).toBe(
    ['# head\n', '# Section\n', formatEntry(2)].join('\n'),
  );
  const removeFirst = (text: string, line: number) =>
    removeEntries({ text, name: '' }, contract, [{ ...stale, line }]);
  expect([removeFirst(formatEntry(1), 2), removeFirst(`---\n${formatEntry(1)}`, 3)]).toEqual([
    '# of 1\n',
    '---\n',
  ]);
});

test('a removal leaves a reason of several lines unchanged, of which the last begins with #', () => {
  const formatEntry = (value: number) => `- requirement: getCard/code
  accepts: { schema: { const: ${value} } }
  link: https://a.b
  because: |
    x
    # y
`;
  const text = formatEntry(1) + formatEntry(2);
  const stale = { requirement: 'getCard/code', line: 7 };
  expect(removeEntries({ text, name: '' }, contract, [stale])).toBe(formatEntry(1));
});
