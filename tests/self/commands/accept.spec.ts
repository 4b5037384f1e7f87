import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { readSpecText } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import type { Finding } from '../../../src/redact/observation.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';
import { accepted, contract, ledger, reportWith } from './accepting.ts';

const formless: Partial<Finding> = { pointer: 'http', actual: 'an empty body' };
const rejected: [address: string, run: Partial<Conformance>, says: string][] = [
  ['getCard/data/card/expiration', {}, 'near are getCard/data/card/expiration_date, '],
  ['getCard/code', { selection: { selected: 1, total: 117 } }, 'only a part of the requirements'],
  ['getCard/code', { shard: { current: 1, total: 2 } }, 'the last run is a shard'],
  ['getCard/code', { contract: '0123456789ab' }, 'judged another contract (0123456789ab'],
  ['getCard/code', { profile: 'documented' }, 'PROFILE=documented'],
  ['getCard/code', { requirements: [] }, 'it was not judged'],
  ['getCard/http/json', {}, 'has no form that would accept this and nothing else: an empty body'],
];
for (const [address, more, says] of rejected)
  test(`a run is rejected that cannot say what to accept: ${says}`, () => {
    const finding = { kind: 'violation', requirement: address, ...formless } as Finding;
    expect(() => accepted(address, reportWith(address, [finding], more))).toThrow(says);
  });

test('the command rejects what it cannot be asked for', async () => {
  const [because, link] = [
    ['--because', 'The old gateway does this.'],
    ['--link', 'https://tracker.example.com/4711'],
  ] as const;
  const all = ['getCard/code', ...because, ...link];
  for (const [args, says] of [
    [[...because, ...link], 'usage: npm run accept'],
    [['getCard/code', ...link], 'usage: npm run accept'],
    [[...all, '--reason', 'x'], "Unknown option '--reason'"],
    [['getCard/code', ...because, '--link', 'JIRA-1'], '--link must be an address'],
    [[...all, '--until', '2027-02-30'], '--until must be a day'],
    [[...all, '--until', '2020-11-21'], '--until 2020-11-21 is past'],
  ] as const) {
    const { status, stderr } = await runCommand('commands/accept.ts', [...args]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`accept: ${says}`) });
  }
});

const form = {
  kind: 'violation',
  requirement: 'getCard/code',
  received: { schema: { const: 0 } },
} as Finding;
const added = (text: string, findings = [form], target?: string) =>
  accepted('getCard/code', reportWith('getCard/code', findings), text, target);
const formsIn = (text: string) => readLedger(text, contract).map(({ accepts }) => accepts);

test('comments and order of the ledger stay, byte for byte, and an empty one gets its first entry', () => {
  expect(added(ledger).startsWith(ledger)).toBe(true);
  expect(added(ledger)).toContain('  accepts: { schema: { const: 0 } }\n');
  const odd =
    '# head\n\n-   requirement: getCard/code # why\n    accepts: {schema: {const: 7}}\n    because: "x"\n    link: https://a.b\n';
  expect(added(odd).match(/#.*/g)).toEqual(['# head', '# why']);
  for (const text of ['', '# Tolerated deviations.\n', '# Tolerated deviations.\n[]\n']) {
    expect(readLedger(added(text), contract)).toHaveLength(1);
    expect(added(text).startsWith(text.replace('[]\n', ''))).toBe(true);
  }
});

test('several breaks at once: what is missing has an entry of its own, and values are one list', () => {
  const received = [{ missing: true }, { schema: { const: 0 } }, { schema: { const: 1 } }] as const;
  const findings = received.map((one) => ({ ...form, received: one }) as Finding);
  expect(formsIn(added(ledger, findings)).slice(-2)).toEqual([
    { missing: true },
    { schema: { enum: [0, 1] } },
  ]);
  const tolerated = { ...form, kind: 'deviation', received: { schema: { const: 2 } } } as const;
  expect(added(ledger, [form, tolerated])).toBe(added(ledger));
});

test('what an entry accepts already is said to be, and only what is new gets one', () => {
  const once = added(ledger);
  const line = readLedger(once, contract).at(-1)?.line;
  expect(() => added(once)).toThrow(`accepts this already, in line ${line}, until 2027-03-01: run again`);
  const missing = { ...form, received: { missing: true } } as Finding;
  expect(formsIn(added(once, [missing, form]))).toEqual([...formsIn(once), { missing: true }]);
  expect(formsIn(added(once, [form], 'staging'))).toHaveLength(formsIn(once).length + 1);
});

test('a parameter is tolerated by the status, which would tolerate more: the ledger says so', () => {
  const address = 'listCustomers/parameters/limit';
  const finding = { ...form, requirement: address, received: { schema: { const: 400 } } } as Finding;
  const text = accepted(address, reportWith(address, [finding]));
  expect(() => readLedger(text, contract)).toThrow('cannot be tolerated here; name the http/status');
});

test('a whole run, the command, and a run with its entry: tolerated, and nothing else is', async () => {
  const alter = altering('getCard', set('data/card/physical_status', 'Frozen'));
  const address = 'getCard/data/card/physical_status';
  const env = { TARGET_NAME: 'mock', REPORTS_DIR: test.info().outputPath('reports') };
  const { conformance } = await runInProcessAgainst({ alter }, env);
  const entries = readLedger(accepted(address, conformance as Conformance), contract);
  expect(entries.at(-1)).toMatchObject({ accepts: { schema: { const: 'Frozen' } }, target: 'mock' });
  const { observed } = await judgeProvider({ alter }, { ledger: entries });
  expect(observed).toMatchObject({ violated: [], deviating: [address] });
  const given = [address, '--because', 'x', '--link', 'https://a.example/1', '--dry-run'];
  const command = () => runCommand('commands/accept.ts', given, { REPORTS_DIR: env.REPORTS_DIR });
  const afterWhole = await command();
  expect(afterWhole).toMatchObject({ status: 0, stderr: '' });
  expect(afterWhole.stdout).toMatch(
    /^spec\/ledger\.yaml, behind line \d+:\n\+\n\+- requirement: .*\n\+ {2}accepts: \{ schema: \{ const: Frozen \} \}\n/,
  );
  const part = await runInProcessAgainst({}, env, /^getFeeRules\/code$/);
  expect(part.conformance?.selection).toMatchObject({ selected: 1 });
  expect(await command()).toEqual(afterWhole);
  expect(readSpecText('ledger.yaml')).toBe(ledger);
});
