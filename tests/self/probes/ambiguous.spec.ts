import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/seed.ts';
import type { Alter, MockOptions } from '../../../mock/server.ts';
import { type Fields, feeRules, listing } from '../../../mock/variants/variant.ts';
import { behaviourOf, briefBehaviourOf, oneOfEach } from '../harness/observing.ts';

/* Responses that several conforming providers may give: what they leave open is not said. */

const everybody: Fields[] = customers.map(({ customer }) => ({ ...customer }));

const pages = (startOf: (offset: number, limit: number) => number): Alter =>
  listing((_, { parameters: { offset = 0, limit = 20 } }) => {
    const start = startOf(Number(offset), Number(limit));
    return everybody.slice(start, start + Number(limit));
  });

const units: [unit: string, startOf: (offset: number, limit: number) => number][] = [
  ['nothing', () => 0],
  ['pages from 1', (offset, limit) => Math.max(0, offset - 1) * limit],
  ['records from 1', (offset) => Math.max(0, offset - 1)],
  ['records', (offset, limit) => offset - (offset % limit)],
];

for (const [unit, startOf] of units)
  test(`where the page at offset 1 is the first one, others show whether \`offset\` counts ${unit}`, async () => {
    const { answers } = await behaviourOf({ alter: pages(startOf) }, { identifiers: oneOfEach });
    expect(answers['offset-unit']).toBe(unit);
    expect(answers['customer-twice']).toBe('no');
    if (unit !== 'records') expect(answers['next-page']).toBe('unknown');
  });

const raised = listing((_, { parameters: { limit = 20 } }) => everybody.slice(0, Math.max(5, Number(limit))));

const ofEmptyLists = [
  ...['unknown-parameter', 'long-request', 'limit-honoured', 'limit-zero', 'limit-huge', 'trailing-slash'],
  ...['default-page-size', 'greatest-page-size', 'offset-unit', 'repeated-parameter', 'sources-union'],
];
/** A list without an end. */
const endless = listing((_, { parameters: { limit = 20, offset = 0 } }) =>
  Array.from({ length: Math.min(1000, Number(limit)) }, (_, index) => ({
    ...everybody[0],
    uuid: `cus-${Number(offset) + index}`,
  })),
);

const ambiguous: [what: string, options: MockOptions, ids: string[]][] = [
  ['an empty list', { choices: { trailingSlash: 'accepted' }, alter: listing(() => []) }, ofEmptyLists],
  ['a limit of 1 that is raised to 5', { alter: raised }, ['limit-honoured']],
  ['pages of one at most', { choices: { defaultLimit: 1, maxLimit: 1 } }, ['repeated-parameter']],
  ['no rules of the business', { alter: feeRules([]) }, ['user-id-with-business']],
  [
    'a list that is the same of `Store` and without a source',
    { choices: { defaultSource: 'Store', caseSensitiveEnums: false } },
    ['source-letter-case'],
  ],
  ['a list longer than a million', { alter: endless }, ['beyond-the-end']],
];

for (const [what, options, ids] of ambiguous)
  test(`${what} leaves open what it may mean`, async () => {
    const { answers } = await behaviourOf(options, { identifiers: oneOfEach, maxPages: 1 });
    expect(answers).toMatchObject(Object.fromEntries(ids.map((id) => [id, 'unknown'])));
  });

test('of a list that is shorter than a page, an unknown parameter is only likely to be ignored', async () => {
  const { observed } = await briefBehaviourOf({});
  const unknownParameter = observed.find(({ id }) => id === 'unknown-parameter');
  expect(unknownParameter).toMatchObject({ answer: 'as if it were not there', confidence: 'likely' });
});

test('a list without a source that begins as that of one source is taken for it, though no page holds it all', async () => {
  const choices = { defaultSource: 'User', maxLimit: 10 } as const;
  const { answers } = await behaviourOf({ choices }, { identifiers: oneOfEach });
  expect(answers['omitted-source']).toBe('those of User');
});
