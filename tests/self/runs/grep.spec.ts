import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { grepIn, grepProblem } from '../../run/grep.ts';
import { isSelectionProblem } from '../../run/selection-problem.ts';
import { testsOf } from '../../run/test-titles.ts';
import { runAgainst } from '../harness/whole-run.ts';

const tests = testsOf(loadContract(), readConfiguration({}, '/nonexistent').target);

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
  for (const { address } of tests)
    for (const pattern of [`@${address.replaceAll('*', '\\*')}`, `@${address.replaceAll('*', '\\*')}$`])
      expect(grepProblem(pattern, tests), pattern).toBeUndefined();
});

for (const pattern of [
  '@getCard',
  '@getcard/CODE',
  'is a string @',
  '@getCard/code|@listCustomers',
  '(@getCard|@listCustomers)/code',
  '@getCard/data/card/(id|type)',
  '/@getCard/',
  'expiration',
  'uuid. is a string',
  'getCard http',
  '^ contract\\.spec\\.ts getCard',
  'requests made',
  '@run/target',
  'nothing of this|@getCard',
  '@get.*',
  '@get[CF|]',
])
  test(`--grep '${pattern}' is left to Playwright`, () => {
    expect(grepProblem(pattern, tests)).toBeUndefined();
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
  ['expirashun', "--grep 'expirashun' selects no test: no sentence or address of a requirement matches it"],
  ['/EXPIRATION/', "--grep '/EXPIRATION/' selects no test"],
  ['@getCard/(kode|kind)', 'selects no test'],
  ['@getCard[', '--grep is no regular expression: @getCard['],
] as const)
  test(`--grep '${pattern}' is a mistake`, () => {
    const problem = grepProblem(pattern, tests) ?? '';
    expect(problem).toContain(sentence);
    expect(isSelectionProblem(problem)).toBe(true);
  });

test('a run with such a pattern sends nothing, and says why, also in a report that is none of the whole', async () => {
  const run = await runAgainst({}, {}, ['--reporter=line,./reports/reporter.ts', '--grep', 'expirashun']);
  expect(run).toMatchObject({ code: 1, requests: [] });
  const sentence = grepProblem('expirashun', tests);
  expect(run.output).toContain(sentence);
  expect(run.conformance).toMatchObject({ verdict: 'error', notes: [sentence], selection: { selected: 0 } });
  expect(run.output).not.toMatch(/^ {4}at /m);
});
