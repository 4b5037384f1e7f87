import { expect, test } from '@playwright/test';
import { type Accepts, acceptedForms } from '../../../commands/accept/deviation.ts';
import { diffOf } from '../../../commands/accept/diff.ts';
import { freshForms } from '../../../commands/accept/fresh-forms.ts';
import { readOrder } from '../../../commands/accept/order.ts';
import { altering, set } from '../../../mock/edits.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { readSpecText } from '../../../schemas/contract/contract.ts';
import { readLedger } from '../../../schemas/contract/ledger.ts';
import type { Finding } from '../../redaction/observation.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { judgeProvider } from '../harness/provider.ts';
import { accepted, args, contract, ledger, reportWith, today } from './accepting.ts';

const rejected: [name: string, address: string, run: Partial<Conformance>, says: string][] = [
  ['an unknown address', 'getCard/data/card/expiration', {}, 'near are getCard/data/card/expiration_date, '],
  [
    'a run of a part',
    'getCard/code',
    { selection: { selected: 1, total: 117 } },
    'only a part of the requirements',
  ],
  ['a shard', 'getCard/code', { shard: { current: 1, total: 2 } }, 'the last run is a shard'],
  [
    'a run of another contract',
    'getCard/code',
    { contract: '0123456789ab' },
    'judged another contract (0123456789ab',
  ],
  ['a run that tolerates nothing', 'getCard/code', { profile: 'documented' }, 'PROFILE=documented'],
  ['a requirement that was kept', 'getCard/code', { requirements: [] }, 'it was not judged'],
  [
    'what an entry has no form for',
    'getCard/http/json',
    {},
    'has no form that would accept this and nothing else',
  ],
];

for (const [name, address, more, says] of rejected) {
  test(`${name} is rejected`, () => {
    const finding = { kind: 'violation', requirement: address, pointer: 'http', actual: 'an empty body' };
    const run = reportWith(address, [finding as Finding], more);
    expect(() => acceptedForms(contract, run, address)).toThrow(says);
  });
}

test('a parameter is tolerated by the status, which would tolerate more: the command says so', () => {
  const address = 'listCustomers/parameters/limit';
  const finding = {
    kind: 'violation',
    requirement: address,
    received: { schema: { const: 400 } },
  } as Finding;
  const text = accepted(address, reportWith(address, [finding]));
  expect(() => readLedger(text, contract)).toThrow('cannot be tolerated here; name the http/status');
});

const mistakes: [name: string, args: string[], says: string][] = [
  ['no address', args('').slice(1), 'usage: npm run accept'],
  ['no reason', ['getCard/code', '--link', 'https://example.com'], 'usage: npm run accept'],
  ['an unknown option', [...args('getCard/code'), '--reason', 'x'], 'usage: npm run accept'],
  [
    'a link that is none',
    ['getCard/code', '--because', 'x', '--link', 'JIRA-1'],
    '--link must be an address',
  ],
  ['a day that does not exist', [...args('getCard/code'), '--until', '2027-02-30'], '--until must be a day'],
  ['a day that is past', [...args('getCard/code'), '--until', '2026-11-21'], '--until 2026-11-21 is past'],
];

for (const [name, given, says] of mistakes) {
  test(`the command rejects ${name}`, () => {
    expect(() => readOrder(given, today)).toThrow(says);
  });
}

const form = {
  kind: 'violation',
  requirement: 'getCard/code',
  received: { schema: { const: 0 } },
} as Finding;
const added = (text: string, findings = [form]) =>
  accepted('getCard/code', reportWith('getCard/code', findings), text);

test('comments and order of the ledger stay, byte for byte, and the diff only adds', () => {
  expect(added(ledger).startsWith(ledger)).toBe(true);
  const odd =
    '# head\n\n-   requirement: getCard/code # why\n    accepts: {schema: {const: 0}}\n    because: "x"\n    link: https://a.b\n';
  expect(added(odd).match(/#.*/g)).toEqual(['# head', '# why']);
  const diff = diffOf('spec/ledger.yaml', ledger, added(ledger)).split('\n');
  expect(diff.filter((line) => /^-(?!--)/.test(line))).toEqual([]);
  expect(diff).toContain('+  accepts: { schema: { const: 0 } }');
});

for (const [name, text] of [
  ['empty', ''],
  ['of comments', '# Tolerated deviations.\n'],
  ['an empty list', '# Tolerated deviations.\n[]\n'],
]) {
  test(`a ledger that is ${name} gets its first entry`, () => {
    const after = added(text ?? '');
    expect(readLedger(after, contract)).toHaveLength(1);
    expect(after.startsWith((text ?? '').replace('[]\n', ''))).toBe(true);
  });
}

test('several breaks at once: what is missing has an entry of its own, and values are one list', () => {
  const received: Finding['received'][] = [
    { missing: true },
    { schema: { const: 0 } },
    { schema: { const: 1 } },
  ];
  const text = added(
    ledger,
    received.map((one) => ({ ...form, received: one }) as Finding),
  );
  const forms = readLedger(text, contract)
    .slice(-2)
    .map(({ accepts }) => accepts);
  expect(forms).toEqual([{ missing: true }, { schema: { enum: [0, 1] } }]);
  const tolerated = { ...form, kind: 'deviation', received: { schema: { const: 2 } } } as const;
  expect(added(ledger, [form, tolerated])).toBe(added(ledger, [form]));
});

test('what an entry accepts already is said to be, and only what is new gets one', () => {
  const entries = readLedger(added(ledger), contract);
  const schema = { schema: { const: 0 } };
  const forms = (accepts: Accepts[], target = 'mock') => freshForms(accepts, entries, 'getCard/code', target);
  const line = entries.at(-1)?.line;
  expect(() => forms([schema])).toThrow(`accepts this already, in line ${line}, until 2027-03-01: run again`);
  expect(forms([{ missing: true }, schema])).toEqual([{ missing: true }]);
  expect(forms([schema], 'staging')).toEqual([schema]);
});

test('a whole run, the command, and a run with its entry: tolerated, and nothing else is', async () => {
  const alter = altering('getCard', set('data/card/physical_status', 'Frozen'));
  const address = 'getCard/data/card/physical_status';
  const REPORTS_DIR = test.info().outputPath('reports');
  const { conformance } = await runInProcessAgainst({ alter }, { TARGET_NAME: 'mock', REPORTS_DIR });
  const text = accepted(address, conformance as Conformance);
  const entries = readLedger(text, contract);
  expect(entries.at(-1)).toMatchObject({ accepts: { schema: { const: 'Frozen' } }, target: 'mock' });
  const { observed } = await judgeProvider({ alter }, { ledger: entries });
  expect(observed).toMatchObject({ violated: [], deviating: [address] });
  const given = [...args(address), '--dry-run'];
  const command = () => runCommand('commands/accept.ts', given, { REPORTS_DIR });
  const afterWhole = await command();
  expect(afterWhole).toMatchObject({ status: 0, stderr: '' });
  expect(afterWhole.stdout).toContain('+  accepts: { schema: { const: Frozen } }');
  const part = await runInProcessAgainst({}, { TARGET_NAME: 'mock', REPORTS_DIR }, /^getFeeRules\/code$/);
  expect(part.conformance?.selection).toMatchObject({ selected: 1 });
  expect(await command()).toEqual(afterWhole);
  expect(readSpecText('ledger.yaml')).toBe(ledger);
});
