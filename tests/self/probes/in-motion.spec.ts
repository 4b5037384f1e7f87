import { expect, test } from '@playwright/test';
import { defaultChoices } from '../../../mock/choices.ts';
import { customers, type SeededCustomer, seededCustomer } from '../../../mock/customers.ts';
import { directoryOf } from '../../../mock/directory.ts';
import { operations } from '../../../mock/operations.ts';
import type { Alter } from '../../../mock/server.ts';
import { listing } from '../../../mock/variants/variant.ts';
import { behaviourOf, type Observing, oneOfEach } from '../harness/observing.ts';

type Change = (all: SeededCustomer[]) => SeededCustomer[];

/** A list that changes once, when the n-th list is requested. */
function changingAt(n: number, change: Change): Alter {
  const route = operations.find(({ operation }) => operation === 'listCustomers');
  let lists = 0;
  return (answer, { operation, parameters }) => {
    if (operation !== 'listCustomers') return answer;
    lists += 1;
    const directory = directoryOf(lists < n ? customers : change([...customers]));
    return structuredClone(route?.answer(parameters, defaultChoices, directory) ?? answer);
  };
}

const changes: Record<string, Change> = {
  added: (all) => [seededCustomer(all.length), ...all],
  removed: (all) => all.toSpliced(1, 1),
  moved: (all) => [...all.slice(33, 34), ...all.toSpliced(33, 1)],
};

/** Lists alone change: one record of a kind is enough beside them. */
const few = { identifiers: oneOfEach };
let still: Promise<Observing> | undefined;

for (const [kind, change] of Object.entries(changes))
  test(`a customer is ${kind} once while lists are compared: no answer is another one`, async () => {
    still ??= behaviourOf({}, few);
    const { answers } = await still;
    for (const n of [2, 5, 14, 22, 30]) {
      const { observed } = await behaviourOf({ alter: changingAt(n, change) }, few);
      const wrong = observed.filter(
        ({ id, confidence, answer }) => confidence !== 'unknown' && answer !== answers[id],
      );
      expect({ n, wrong: wrong.map(({ id, answer }) => ({ id, answer })) }).toEqual({ n, wrong: [] });
    }
  });

test('an order that changes with each request is distinguished from one customer who moves', async () => {
  let lists = 0;
  const alter = listing((usual) => {
    lists += 1;
    return lists % 2 ? usual : usual.toReversed();
  });
  const { answers } = await behaviourOf({ alter });
  expect(answers).toMatchObject({ 'order-stability': 'no', 'offset-unit': 'unknown' });
  expect(answers['unknown-parameter']).not.toBe('other customers');
});

test('a list without source that holds others besides, or none of either, is not those of both', async () => {
  const ofSource = (place: number, source: string | undefined) =>
    source === undefined || place % 4 === (source === 'User' ? 0 : 1);
  const alter = listing((usual, { parameters: { linked_source_type } }) =>
    usual.filter((_, place) => ofSource(place, linked_source_type)),
  );
  expect((await behaviourOf({ alter })).answers['omitted-source']).toBe('those of both, or others');
});
