import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { compareWith } from '../../../commands/contract-diff/compare.ts';
import { diffMarkdown } from '../../../commands/contract-diff/markdown.ts';
import { changedVerdicts, replay } from '../../../commands/contract-diff/replay.ts';
import { buildContract, type Contract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { line } from '../traffic/judging.ts';
import { edited, recordings, repository, texts, yearPattern } from './changed-contract.ts';

const { target } = readConfiguration({ TRAFFIC: '-' }, '/nonexistent');

test('verdicts that change on the same recorded answers are listed, with their number and no value', async () => {
  const now = edited(texts, 'openapi.yaml', yearPattern, 'pattern: ^13/[0-9]{2}$');
  const examples = now['openapi.yaml'].replace(/expiration_date: .*\d.*/g, 'expiration_date: "13/29"');
  const contracts = [texts, { ...now, 'openapi.yaml': examples }].map(buildContract) as [Contract, Contract];
  const verdicts = changedVerdicts(await replay(...contracts, [recordings], target), new Map());
  expect(verdicts).toEqual([
    {
      address: 'getCard/data/card/expiration_date',
      before: 'pass',
      now: expect.stringMatching(/^violation in (\d+) of \1 answers$/),
    },
  ]);
});

/** What contracts that differ in one text of a file say of some lines. */
async function verdictsOf(lines: string, file: keyof typeof texts, from: string, to: string) {
  const recording = test.info().outputPath('session.jsonl');
  writeFileSync(recording, lines);
  const contracts = [texts, edited(texts, file, from, to)].map(buildContract) as [Contract, Contract];
  return changedVerdicts(await replay(...contracts, [recording], target), new Map());
}

test('a rule between answers is judged as in a run', async () => {
  const customer = {
    ...{ dial_code: '+1', uuid: '11111111-2222-4333-8444-555555555555' },
    reference_number: 'a',
  };
  const customers = [customer, { ...customer, reference_number: 'b' }];
  const page = line({ body: JSON.stringify({ code: 200, message: '', data: { customers } }) });
  expect(
    await verdictsOf(page + page, 'requirements.yaml', 'named: reference_number', 'named: dial_code'),
  ).toEqual([
    {
      address: 'listCustomers/rules/uuid-is-unique',
      before: expect.stringMatching(/^violation in \d of \d answers$/),
      now: 'pass',
    },
  ]);
});

test('what the ledger tolerates is a deviation', async () => {
  const rule = { fixed_fee: '1.00', percentage_fee: '1.00', p_user_id: 'u1' };
  const answer = line({
    url: 'https://api.example/api/v1/openapi/digital_wallets/fee_rule?type=user&user_id=u1',
    body: JSON.stringify({ code: 200, message: '', data: { fee_rules: [rule] } }),
  });
  const address = 'getFeeRules/data/fee_rules/*/user_id';
  expect(await verdictsOf(answer, 'ledger.yaml', 'name: p_user_id', 'name: q_user_id')).toContainEqual({
    address,
    before: 'deviation in 1 of 1 answers',
    now: expect.not.stringContaining('deviation'),
  });
});

const har = readFileSync(recordings, 'utf8');
const cut = har.slice(0, har.indexOf('startedDateTime', har.indexOf('/fee_rule')));
const otherPath = JSON.stringify({
  log: { entries: [{ request: { method: 'GET', url: 'https://a.example/' } }] },
});

const unjudged: [name: string, file: string, text: string, says: RegExp][] = [
  ['cut', 'a.har', '{"log":{"entries":[{"x', /which cannot be judged: ends early at byte \d+$/],
  ['no text', 'a.har', '\u0001\u0002\uffff\u0000', /which cannot be judged: /],
  ['a broken archive', 'a.zip', 'PK\u0003\u0004junk', /which cannot be judged: /],
  ['empty', 'a.jsonl', '', /which cannot be judged: it holds no recorded traffic$/],
  [
    'without entries',
    'a.har',
    '{"log":{"entries":[]}}',
    /which cannot be judged: it holds no recorded traffic$/,
  ],
  ['of another API', 'a.har', otherPath, /^no answer that --judge names can be judged: 1 \w/],
];

for (const [name, file, text, says] of unjudged) {
  test(`a recording that is ${name} is rejected beside one that is whole`, async () => {
    const source = test.info().outputPath(file);
    writeFileSync(source, text);
    const contract = buildContract(texts);
    const others = name === 'of another API' ? [] : [recordings];
    await expect(replay(contract, contract, [...others, source], target)).rejects.toThrow(says);
  });
}

test('what is cut behind some answers is judged so far, and said; a folder may have any name', async () => {
  const folder = test.info().outputPath('a [1]');
  mkdirSync(folder);
  const order = {
    folder: repository(texts),
    ref: 'HEAD',
    judge: [folder],
    target: { ...target, recordFile: '/nonexistent/a.json' },
  };
  await expect(compareWith(order)).rejects.toThrow(/in which is neither recorded traffic nor/);
  writeFileSync(path.join(folder, 'cut.har'), cut);
  const page = diffMarkdown(await compareWith(order));
  expect(page).toMatch(
    /### The same [1-9]\d* recorded answers?\n\n- .*cut\.har: ends early at byte \d+; only what/,
  );
});
