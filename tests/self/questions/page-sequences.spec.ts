import { expect, test } from '@playwright/test';
import { altering, hasParameter, set } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { customersUpTo, type ListOptions, listProvider } from '../harness/list-provider.ts';
import { answerQuestions, oneOfEach } from '../harness/observing.ts';
import { createRecordedFolder } from '../harness/whole-run.ts';

/* How pages of customers join. All targets conform, because contract section 4.2 promises nothing about it. */

test.describe.configure({ mode: 'parallel' });

const customers = customersUpTo(75);
const faultyIndex = 25;
type CreateFaultyPage = NonNullable<ListOptions['createFaultyPage']>;

const overlapping: CreateFaultyPage = ({ start, end }) =>
  start === 0 ? undefined : customers.slice(start - 1, end - 1);
const skipping: CreateFaultyPage = ({ start, end }) =>
  start === 0 ? undefined : customers.slice(start + 1, end + 1);
const faultyCustomer = customers[faultyIndex];
const repeating: CreateFaultyPage = ({ start, end }) => {
  const page = customers.slice(start, end);
  return page.flatMap((customer) => (customer === faultyCustomer ? [customer, customer] : [customer]));
};
const losing: CreateFaultyPage = ({ limit, start, end }) => {
  if (limit !== 20) return undefined;
  return customers.slice(start, end).filter((customer) => customer !== faultyCustomer);
};
const reordering: CreateFaultyPage = ({ limit }) => {
  if (limit <= 100) return undefined;
  const evenCustomers = customers.filter((_, index) => index % 2 === 0);
  const oddCustomers = customers.filter((_, index) => index % 2 === 1);
  return [...evenCustomers, ...oddCustomers];
};

type Answers = [repeated: string, overlap: string, lost: string];

const cases: [name: string, options: Partial<ListOptions>, answers: Answers][] = [
  ['pages that join', {}, ['no', 'no', 'no']],
  ['counted pages that join', { offset: 'pages' }, ['no', 'no', 'no']],
  ['a page with a customer twice', { createFaultyPage: repeating }, ['yes', 'no', 'no']],
  ['pages that overlap by one customer', { createFaultyPage: overlapping }, ['no', 'yes', 'no']],
  ['counted pages that overlap', { createFaultyPage: overlapping, offset: 'pages' }, ['no', 'yes', 'no']],
  ['pages that skip a customer between them', { createFaultyPage: skipping }, ['no', 'no', 'yes']],
  ['a page that lacks a customer', { createFaultyPage: losing }, ['no', 'no', 'yes']],
  ['a long page in another order', { createFaultyPage: reordering }, ['no', 'no', 'no']],
  ['an `offset` without effect', { offset: 'ignored' }, ['no', 'unknown', 'unknown']],
  ['the last page again after the end', { pastEnd: 'last page', population: 40 }, ['no', 'no', 'no']],
  ['one page', { population: 15 }, ['no', 'unknown', 'unknown']],
  ['one customer', { population: 1 }, ['unknown', 'unknown', 'unknown']],
];

const provider = (options: Partial<ListOptions>) => ({
  alter: listProvider({ population: 75, maxLimit: 2000, ...options }).alter,
});
const listAnswers = (answers: Record<string, string>) =>
  ['repeated-customer', 'page-overlap', 'lost-customer'].map((id) => answers[id]);

for (const [name, options, answers] of cases)
  for (const probes of [true, false])
    test(`${name}, ${probes ? 'with' : 'without'} probes`, async () => {
      const run = await answerQuestions(provider(options), { identifiers: oneOfEach, probes });
      expect(listAnswers(run.answers)).toEqual(answers);
      expect(run.findings).toEqual([]);
    });

test('a list that changes during the run has no answer, if probes show the change', async () => {
  const changeList: ListOptions['changeList'] = (now) => customersUpTo(now.length + 1).reverse();
  const { answers } = await answerQuestions(provider({ changeList }), { identifiers: oneOfEach });
  expect(listAnswers(answers)).toEqual(['no', 'unknown', 'unknown']);
});

test('an answer that needs attention is shown, and may drift, and breaks no requirement', async () => {
  const { callerEnv } = createRecordedFolder('{ "page-overlap": "no" }', 'staging');
  const { conformance, output, files } = await runInProcessAgainst(
    provider({ createFaultyPage: overlapping }),
    {
      ...callerEnv,
      TARGET_NAME: 'staging',
    },
  );
  expect(conformance?.verdict).toBe('pass');
  expect(conformance?.observed.flatMap(({ id, attention }) => (attention ? id : []))).toEqual([
    'page-overlap',
  ]);
  expect(conformance?.findings).toMatchObject([{ kind: 'drift', expected: 'no', actual: 'yes' }]);
  const page = files().find(({ name }) => name === 'contract.html')?.text;
  const attention = 'pages of the list overlap: clients that follow the pages receive customers twice';
  for (const text of [output, page]) expect(text).toContain(attention);
  expect(page).not.toContain('Nothing; every requirement passes');
});

for (const value of [null, undefined, {}])
  test(`a page beyond the end whose list is ${JSON.stringify(value)} is no empty list`, async () => {
    const alter = altering('listCustomers', set('data/customers', value), hasParameter('offset', '1000000'));
    const { answers } = await answerQuestions({ alter }, { identifiers: oneOfEach, probes: true });
    expect(answers['beyond-the-end']).toBe('no list');
  });
