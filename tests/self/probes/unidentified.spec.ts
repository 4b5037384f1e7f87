import { expect, test } from '@playwright/test';
import { customers } from '../../../mock/seed.ts';
import { listing } from '../../../mock/variants/variant.ts';
import { behaviourOf, drifted } from '../harness/observing.ts';
import { defaultAnswers } from './default-answers.ts';

test.describe.configure({ mode: 'parallel' });

/** The first customer has no `uuid`: in every list, or of all customers. */
const cases = {
  'the first customer of each list': listing((usual) =>
    usual.map((one, index) => (index === 0 ? { ...one, uuid: undefined } : one)),
  ),
  'the first of all customers': listing((usual) =>
    usual.map((one) => (one.uuid === customers[0]?.customer.uuid ? { ...one, uuid: undefined } : one)),
  ),
};

/** What follows from how many customers are listed, or from those that have an identity. */
const known = ['default-page-size', 'greatest-page-size', 'limit-honoured', 'order-stability', 'limit-huge'];

for (const [name, alter] of Object.entries(cases))
  test(`${name} has no uuid: each answer is as usual or unknown`, async () => {
    const run = await behaviourOf({ alter }, {}, defaultAnswers);
    expect(drifted(run)).toEqual([]);
    const usual = Object.keys(defaultAnswers).filter((id) => run.answers[id] === defaultAnswers[id]);
    expect(usual).toEqual(expect.arrayContaining(known));
    expect(run.answers).toMatchObject({ 'next-page': 'unknown', 'customer-twice': 'unknown' });
    // A page that begins with the second customer shows it, where that one has an identity.
    expect(run.answers['offset-unit']).toBe(name.includes('each') ? 'unknown' : 'records');
  });
