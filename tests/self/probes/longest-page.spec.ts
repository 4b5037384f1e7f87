import { expect, test } from '@playwright/test';
import { answering } from '../../../mock/edits.ts';
import { inTurn, listing } from '../../../mock/variants/variant.ts';
import { briefBehaviourOf } from '../harness/observing.ts';

const many = Array.from({ length: 1500 }, (_, index) => ({
  ...{ uuid: `cus-${index}`, dial_code: '+1', reference_number: `R${index}` },
}));

type Length = (limit: number) => number | undefined;

/** A list of 1,500 customers, and how long its pages are; undefined where a limit is rejected. */
const cases: [how: string, lengthOf: Length, answer: string][] = [
  ['rejects a limit above 100', (limit) => (limit > 100 ? undefined : limit), '100'],
  ['shows 25 above a limit of 100', (limit) => (limit > 100 ? 25 : limit), '100'],
  ['shows 100 above a limit of 100', (limit) => Math.min(100, limit), '100'],
  ['rejects a limit above 20', (limit) => (limit > 20 ? undefined : limit), '20'],
  ['shows as many as were requested', (limit) => limit, '1000'],
];

for (const [how, lengthOf, answer] of cases)
  test(`the longest page of a list that ${how}: ${answer}`, async () => {
    const pages = listing((_, { parameters: { limit = 20, offset = 0 } }) =>
      many.slice(Number(offset), Number(offset) + (lengthOf(Number(limit)) ?? 0)),
    );
    const isRejected = ({ limit = 20 }) => lengthOf(Number(limit)) === undefined;
    const rejecting = answering('listCustomers', ({ parameters }) => isRejected(parameters), { status: 400 });
    const { observed } = await briefBehaviourOf({ alter: inTurn(pages, rejecting) });
    const longest = observed.find(({ id }) => id === 'greatest-page-size');
    expect(longest).toMatchObject({ answer, confidence: 'likely' });
  });
