import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { markdownOf } from '../../../reports/markdown.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { operationQuestions } from '../../exchanges/files.ts';
import { inferencesFor } from '../../probes/probe-answers.ts';
import { behaviourOf } from '../harness/observing.ts';

const contract = loadContract();
const { questions } = contract;
const ids = questions.map(({ id }) => id);

/** Each place where the contract says "not shown", and the questions that ask for it. */
const notShown: [section: string, what: string, ids: string][] = [
  ['1', 'write operations and the wider purpose of the service', 'write-operations'],
  ['2.2', 'allowed values of type and status', 'card-types card-statuses'],
  ['2.5', 'allowed values of state', 'token-states'],
  ['2.6', 'whether number is masked', 'card-number-form'],
  ['3', 'transitions', 'state-transitions'],
  ['4.2', 'default and maximum of limit', 'default-page-size greatest-page-size'],
  ['4.2', 'how offset counts', 'offset-unit'],
  ['4.2', 'result when linked_source_type is omitted', 'omitted-source'],
  ['5', 'authentication', 'no-credentials'],
  ['6', 'events', 'events'],
  ['7', 'error codes and the error response shape', 'refusal-form'],
  ['4.1 4.3 4.4', 'behaviour for an unknown id', 'unknown-card unknown-customer unknown-user'],
  ['4.4', 'behaviour for a missing required parameter', 'missing-type missing-user-id'],
  [
    '4.1 4.2 4.3 4.4',
    'behaviour for an invalid value',
    'malformed-card malformed-customer unknown-source source-letter-case empty-source limit-zero limit-negative ' +
      'limit-not-numeric limit-huge offset-negative offset-not-numeric unknown-type type-letter-case empty-user-id',
  ],
  ['8', 'rate limits', 'rate-limit-headers'],
  ['8', 'request size limits', 'long-request'],
  ['9', 'version policy and deprecation rules', 'version-headers'],
];

/** What the contract leaves open without saying so. */
const unsaid: [section: string, ids: string][] = [
  ['1', 'accept-any accept-other media-type-parameters'],
  ['2.1', 'success-message'],
  ['2.3', 'limit-periods limit-amount-forms'],
  ['2.4', 'payment-methods'],
  ['2.5', 'default-flag credit-card-presence'],
  ['2.7', 'fee-forms'],
  ['4', 'trailing-slash unknown-parameter repeated-parameter'],
  ['4.2', 'limit-honoured beyond-the-end order-stability total-announced total-matches'],
  ['4.2', 'smaller-limit next-page same-union customer-twice parameter-order sources-disjoint sources-union'],
  ['4.4', 'user-id-with-business'],
  ['8', 'caching-headers'],
  ['9', 'server-headers'],
];

test('each thing that is not shown has a question, and each question a thing', () => {
  const listed = [...notShown.map(([, , asked]) => asked), ...unsaid.map(([, asked]) => asked)];
  expect(listed.flatMap((asked) => asked.split(' ')).sort()).toEqual([...ids].sort());
});

test('each question names the section that leaves it open', () => {
  const places = [...notShown.map(([section, , asked]) => [section, asked] as const), ...unsaid];
  for (const [sections, asked] of places)
    for (const id of asked.split(' ')) {
      const own = questions.find((question) => question.id === id)?.section;
      expect(sections.split(' '), id).toContain(own);
    }
});

test('each question but those that nothing can be read of has its own way to an answer', async () => {
  const answerable = Object.keys(inferencesFor(contract, await operationQuestions(contract)));
  const unaskable = questions.filter((question) => question.unaskable).map(({ id }) => id);
  expect([...answerable, ...unaskable].sort()).toEqual([...ids].sort());
});

test('the report shows each question once, in the order of the list', async () => {
  const { observed } = await behaviourOf();
  expect(observed.map(({ id }) => id)).toEqual(ids);
  const conformance = {
    ...{ target: 'mock', profile: 'observed', startedAt: '', requests: 0, verdict: 'pass', notes: [] },
    ...{ requirements: [], findings: [], coverage: { nodes: { percentage: 0 } } },
    observed,
  } as unknown as Conformance;
  const rows = markdownOf(conformance)
    .split('\n')
    .filter((line) => /^\| [\d.]+ \|/.test(line));
  expect(rows.map((row) => row.split(' | ')[1])).toEqual(questions.map(({ question }) => question));
});
