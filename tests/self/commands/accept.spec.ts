import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { findStaleEntries, listViolations, removeEntries } from '../../../commands/ledger-entries.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { getSpecPath } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { brokenOnlyNote } from '../../../src/verdict/evaluate.ts';
import { altering, set } from '../harness/edits.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { inTurn } from '../proof/variants/variant.ts';
import { accepted, contract, ledger, reportWith } from './accepting.ts';

const formless: Partial<Finding> = { pointer: 'http', actual: 'an empty body' };
const passed = [{ address: 'getCard/code', verdict: 'pass' }] as never;
const rejected: [address: string, run: Partial<Conformance>, says: string][] = [
  ['getCard/data/card/expiration', {}, 'near is getCard/data/card/expiration_date'],
  ['getCard/code', { selection: { selected: 1, total: 117 } }, 'only a part of the requirements'],
  ['getCard/code', { shard: { current: 1, total: 2 } }, 'the last run is a shard'],
  ['getCard/code', { contract: '0123456789ab' }, 'judged another contract (0123456789ab'],
  ['getCard/code', { profile: 'documented' }, 'PROFILE=documented'],
  ['getCard/code', { requirements: [] }, 'it was not judged'],
  ['getCard/code', { requirements: passed }, 'its verdict is pass, and there is nothing to accept'],
  ['getCard/http/json', {}, 'has no form that would accept this and nothing else: an empty body'],
];
test('a run is rejected that cannot say what to accept', () => {
  for (const [violated, more, says] of rejected) {
    const finding = { kind: 'violation', requirement: violated, ...formless } as Finding;
    const run = reportWith(violated, [finding], more);
    expect(() => accepted(violated, run), says).toThrow(says);
    if (Object.keys(more).some((key) => key !== 'requirements'))
      for (const ask of [listViolations, findStaleEntries])
        expect(() => ask(contract, run), says).toThrow(says);
  }
});

test('the command rejects what it cannot be asked for', async () => {
  const because = ['--because', 'The old gateway does this.'];
  const link = ['--link', 'https://tracker.example.com/4711'];
  const all = ['getCard/code', ...because, ...link];
  for (const [args, says] of [
    [[...because, ...link], 'missing: the ADDRESS of the requirement\n'],
    [['getCard/code'], 'missing: --because REASON, why it is tolerated; --link URL, where it is tracked\n'],
    [['getCard/code', '--because', ' ', ...link], 'missing: --because REASON, why it is tolerated\n'],
    [[...all, '--reason', 'x'], "Unknown option '--reason'"],
    [['getCard/code', ...because, '--link', 'JIRA-1'], '--link must be an address'],
    [[...all, '--until', '2020-11-21'], '--until 2020-11-21 is past'],
  ] as const) {
    const stderr = expect.stringContaining(`accept: ${says}`);
    expect(await runCommand('commands/accept.ts', [...args])).toMatchObject({ status: 2, stderr });
  }
});

const form = {
  kind: 'violation',
  requirement: 'getCard/code',
  received: { schema: { const: 0 } },
} as Finding;
const added = (text: string, findings = [form], more: Partial<Conformance> = {}) =>
  accepted('getCard/code', reportWith('getCard/code', findings, more), text);
const formsIn = (text: string) => readLedger(text, contract).map(({ accepts }) => accepts);

test('comments and order of the ledger stay, byte for byte, and an empty one gets its first entry', () => {
  expect(added(ledger).startsWith(ledger)).toBe(true);
  expect(added(ledger)).toContain('  accepts: { schema: { const: 0 } }\n');
  const requirements = [{ address: 'getCard/code', verdict: 'violation', reason: brokenOnlyNote }] as never;
  expect(accepted('getCard/code', reportWith('getCard/code', [form], { requirements }))).toMatch(
    / swept: true\n$/,
  );
  const odd =
    '# head\n\n-   requirement: getCard/code # why\n    accepts: {schema: {const: 7}}\n    because: "x"\n    link: https://a.b\n';
  expect(added(odd).match(/#.*/g)).toEqual(['# head', '# why']);
  for (const text of ['', '# Tolerated deviations.\n', '# Tolerated deviations.\n[]\n']) {
    expect(readLedger(added(text), contract)).toHaveLength(1);
    expect(added(text).startsWith(text.replace('[]\n', ''))).toBe(true);
  }
});

test('several breaks at once: what is missing has an entry of its own, and values are one list', () => {
  const other = (received: Finding['received']) => ({ ...form, received }) as Finding;
  const several = [other({ missing: true }), form, other({ schema: { const: 1 } })];
  const entries = [{ missing: true }, { schema: { enum: [0, 1] } }];
  expect(formsIn(added(ledger, several)).slice(-2)).toEqual(entries);
  const tolerated = { ...other({ schema: { const: 2 } }), kind: 'deviation' } as const;
  expect(added(ledger, [form, tolerated])).toBe(added(ledger));
  // Only what is new gets one.
  const once = added(ledger);
  const missing = other({ missing: true });
  expect(() => added(added(once, [missing]))).toThrow(/already, in line \d+: run .*, or change that entry$/);
  expect(formsIn(added(once, [missing, form]))).toEqual([...formsIn(once), { missing: true }]);
  expect(formsIn(added(once, [form], { target: 'staging' }))).toHaveLength(formsIn(once).length + 1);
});

test('a parameter is tolerated by the status, which would tolerate more: the ledger says so', () => {
  const limit = 'listCustomers/parameters/limit';
  const finding = { ...form, requirement: limit, received: { schema: { const: 400 } } } as Finding;
  const text = accepted(limit, reportWith(limit, [finding]));
  expect(() => readLedger(text, contract)).toThrow('cannot be tolerated here; name the http/status');
});

test('a whole run, the command, and a run with its entry: listed, tolerated in the ledger of the caller, removed', async () => {
  const address = 'getCard/data/card/physical_status';
  const folder = test.info().outputPath('caller');
  const env = { TARGET_NAME: 'mock', REPORTS_DIR: path.join(folder, 'reports') };
  const unwritten = statSync(getSpecPath('ledger.yaml')).ino;
  const own = { ...env, LEDGER_FILE: path.join(folder, 'conformance/ledger.yaml') };
  const name = path.relative('', own.LEDGER_FILE);
  const says = async (...args: string[]) => {
    const { stdout, stderr } = await runCommand('commands/accept.ts', args, own);
    return stdout + stderr;
  };
  const given = (...addresses: string[]) =>
    `${addresses.join(' ')} --because x --link https://a.example/1 --until 2999-12-31`.split(' ');
  const other = 'getCard/data/card/settlement_currency';
  const alter = inTurn(
    altering('getCard', set('data/card/physical_status', 'Mislaid')),
    altering('getCard', set('data/card/settlement_currency', 7)),
  );
  await runInProcessAgainst({ alter }, env);
  expect(await says()).toBe(
    `${other}\n  the number 7\n${address}\n  the string "Mislaid"\n\nTolerate one or several: npm run accept -- '${other}' --because REASON --link URL\n`,
  );
  const entryOf = (requirement: string, value: string) =>
    `- requirement: ${requirement}\n  accepts: { schema: { const: ${value} } }\n  because: x\n  link: https://a.example/1\n  target: mock\n  until: 2999-12-31`;
  const entry = entryOf(address, 'Mislaid');
  expect(await says(...given(address), '--dry-run')).toBe(
    `${name}, behind line 0:\n${entry.replace(/^/gm, '+')}\n`,
  );
  expect(await says(...given(address, other, address), '--dry-run')).toBe(
    `${name}, behind line 0:\n${`${entry}\n\n${entryOf(other, '7')}`.replace(/^/gm, '+')}\n`,
  );
  expect(await says(...given(other, 'getCard/cod'))).toBe(
    'accept: there is no requirement getCard/cod; near is getCard/code\n',
  );
  expect(existsSync(own.LEDGER_FILE)).toBe(false);
  const today = new Date().toISOString().slice(0, 10);
  expect(await says(...given(other), '--until', today, '--dry-run')).toContain(`+  until: ${today}\n`);
  // A run of a part leaves the last whole one to be accepted from.
  await runInProcessAgainst({}, env, /^getFeeRules\/code$/);
  expect(await says(...given(address))).toContain(`${name}, line 1: written`);
  expect(await says(...given(other, address))).toContain(
    `accepts ${address} already, in line 1: run again to see it tolerated, or change that entry`,
  );
  expect(await says(...given(other))).toMatch(
    /, behind line 6:\n\+\n\+- requirement: [\s\S]*, line 8: written\. Run/,
  );

  const tolerant = await runInProcessAgainst({ alter }, own);
  expect(tolerant.conformance).toMatchObject({ verdict: 'pass' });
  expect(tolerant.output).toContain(`. x (${name}, line 1, until 2999-12-31, https://a.example/1)`);
  expect(await says('--remove')).toContain('Each entry for this target tolerated something');

  const fixed = await runInProcessAgainst({}, own);
  expect(fixed.conformance).toMatchObject({ verdict: 'fail' });
  expect(await says()).toContain(
    'no violation, and entries that tolerate nothing: npm run accept -- --remove',
  );
  expect(await says('--remove', '--dry-run')).toContain(`${name}, line 1: would be removed, ${address}\n`);
  expect(await says('--remove')).toBe(
    `${name}, line 1: removed, ${address}\n${name}, line 8: removed, ${other}\n`,
  );
  expect(await says('--remove')).toContain('ledger.yaml has changed since the last run');
  expect((await runInProcessAgainst({}, own)).conformance).toMatchObject({ verdict: 'pass' });
  expect(await says()).toBe('The last run has found no violation.\n');
  expect(statSync(getSpecPath('ledger.yaml')).ino).toBe(unwritten);
});

test('what is removed leaves comments, order and other entries as they are', () => {
  const entry = (value: number) =>
    `# of ${value}\n- requirement: getCard/code\n  accepts: { schema: { const: ${value} } }\n  because: x\n  link: https://a.b\n`;
  const text = ['# head\n', entry(1), entry(2), entry(3)].join('\n');
  const stale = { requirement: 'getCard/code', line: 4 };
  const rest = (...places: (typeof stale)[]) => removeEntries({ text, name: 'mine' }, contract, places);
  expect(rest(stale)).toBe(['# head\n', entry(2), entry(3)].join('\n'));
  expect(rest(stale, { ...stale, line: 16 })).toBe(['# head\n', entry(2)].join('\n'));
  expect(readLedger(rest(stale, { ...stale, line: 10 }, { ...stale, line: 16 }), contract)).toEqual([]);
  expect(() => rest({ ...stale, line: 5 })).toThrow('mine has changed since the last run');
  const first = (text: string, line: number) =>
    removeEntries({ text, name: '' }, contract, [{ ...stale, line }]);
  expect([first(entry(1), 2), first(`---\n${entry(1)}`, 3)]).toEqual(['# of 1\n', '---\n']);
});
