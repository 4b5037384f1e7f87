import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { grepIn, grepProblem } from '../../../src/run/command-line.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { tagNames } from '../../../src/run/test-titles.ts';
import { isSelectionProblem, nothingSelected } from '../../../src/verdict/verdict.ts';
import { runAgainst } from '../harness/whole-run.ts';

const addresses = tagNames(loadContract(), readConfiguration({}, '/nonexistent').target);

for (const [args, pattern] of [
  [['--grep', 'a'], 'a'],
  [['-g', 'a', '--grep=b'], 'b'],
  [['-ga|b'], 'a|b'],
  [['--grep-invert', 'a', '--list'], undefined],
] as const)
  test(`${args.join(' ')} selects by ${pattern}`, () => {
    expect(grepIn([...args])).toBe(pattern);
  });

test('every address selects its requirement', () => {
  for (const address of addresses)
    for (const pattern of [`@${address.replaceAll('*', '\\*')}`, `@${address.replaceAll('*', '\\*')}$`])
      expect(grepProblem(pattern, addresses), pattern).toBeUndefined();
});

for (const pattern of [
  '@getCard',
  '@getcard/CODE',
  'is a string @',
  '@getCard/code|@listCustomers',
  '(@getCard|@listCustomers)/code',
  '/@getCard/',
  'expirashun',
  '@run/target',
  'nothing of this|@getCard',
  '@get.*',
  '@get[CF|]',
])
  test(`--grep '${pattern}' is left to Playwright`, () => {
    expect(grepProblem(pattern, addresses)).toBeUndefined();
  });

for (const [pattern, sentence] of [
  [
    '@getCard/data/card/limits/*/period',
    `--grep is a regular expression: write \\* for *, in quotes: --grep '@getCard/data/card/limits/\\*/period'`,
  ],
  ['@getCard/kode', 'no requirement has the address @getCard/kode; the nearest is @getCard/code '],
  ['@getCard/code|@getUser', 'no requirement has the address @getUser;'],
  [
    '@getCard/data/card/limits/\\*/perid$',
    'no requirement has the address @getCard/data/card/limits/*/perid; the nearest is @getCard/data/card/limits/\\*/period ',
  ],
  ['@getCard{', 'no requirement has the address @getCard{'],
] as const)
  test(`--grep '${pattern}' is a mistake`, () => {
    const problem = grepProblem(pattern, addresses) ?? '';
    expect(problem).toContain(sentence);
    expect(isSelectionProblem(problem)).toBe(true);
  });

for (const [pattern, sentence] of [
  ['@getCard/kode', grepProblem('@getCard/kode', addresses) ?? ''],
  ['expirashun', nothingSelected],
] as const)
  test(`a run with --grep ${pattern} sends nothing, and says why, also in a report that is none of the whole`, async () => {
    const run = await runAgainst({}, {}, ['--reporter=line,./reports/reporter.ts', '--grep', pattern]);
    expect(run).toMatchObject({ code: 1, requests: [] });
    expect(run.output).toContain(sentence);
    const selection = { selected: 0 };
    expect(run.conformance).toMatchObject({ verdict: 'error', notes: [sentence], selection });
    expect(run.output).not.toMatch(/^ {4}at /m);
  });
