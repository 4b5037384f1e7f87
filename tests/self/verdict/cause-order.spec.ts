import { expect, test } from '@playwright/test';
import { sortLikelyCausesFirst } from '../../../src/verdict/cause-order.ts';
import type { Verdict } from '../../../src/verdict/verdicts.ts';
import { altering, applyInOrder, set } from '../harness/edits.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';

test('requirements are sorted by what their cause may break', () => {
  const addresses = [
    'getCard/rules/id-is-requested',
    'getCard/data/card/title',
    'getCard/parameters/id',
    'getCard/http/status',
    'getCard/code',
    'getFeeRules/message',
  ];
  const results: { address: string; verdict: Verdict }[] = addresses.map((address) => ({
    address,
    verdict: 'violation',
  }));
  const blockedResult = { address: 'listCustomers/data', verdict: 'blocked' } as const;
  expect(sortLikelyCausesFirst([...results, blockedResult]).map(({ address }) => address)).toEqual([
    'listCustomers/data',
    'getCard/code',
    'getFeeRules/message',
    'getCard/parameters/id',
    'getCard/http/status',
    'getCard/data/card/title',
    'getCard/rules/id-is-requested',
  ]);
});

test('failures are printed as they occur, and the sentence and the list have the order of causes', async () => {
  const alter = applyInOrder(
    altering('getCard', set('data/card/title', 7)),
    altering('getFeeRules', set('message', 7)),
  );
  const { output } = await runInProcessAgainst({ alter }, { PROBES: 'off' });
  const order = [
    '✗ `title` is a string',
    '✗ `message` is a string',
    'FAIL: the target violates the contract: getFeeRules/message and 1 more requirement',
    '- getFeeRules/message: ',
    '- getCard/data/card/title: ',
  ];
  const places = order.map((text) => output.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((place, other) => place - other));
});
