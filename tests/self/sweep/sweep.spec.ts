import { expect, test } from '@playwright/test';
import { errorAnswer } from '../../../mock/answers.ts';
import { createPopulation } from '../../../mock/population.ts';
import type { Customer } from '../../../mock/records.ts';
import type { Alter } from '../../../mock/server.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf } from '../harness/whole-run.ts';
import { planted } from '../proof/named-faults.ts';

const customer = 'listCustomers/data/customers/*';
const faults = [
  planted('customer: phone is null', 601),
  planted('customer: default_payment_token/error_code is null', 1999),
];

test('a sweep counts the customers that break a rule, each once, in the same tests and reports', async () => {
  const options = { population: { customers: 2000, faults }, choices: { maxLimit: 300 } };
  const { code, conformance, output, files } = await runInProcessAgainst(options, { SWEEP: 'all' });
  const swept = (address: string) => conformance?.requirements.find((one) => one.address === address)?.swept;
  expect(code).toBe(1);
  expect(addressesOf({ conformance } as never, 'violation')).toEqual(
    expect.arrayContaining([`${customer}/phone`, `${customer}/default_payment_token/error_code`]),
  );
  expect(swept(`${customer}/phone`)).toMatchObject({ judged: 2000, broken: 3, first: [601, 1202, 1803] });
  expect(swept(`${customer}/default_payment_token/error_code`)).toMatchObject({ judged: 2000, broken: 1 });
  for (const address of [`${customer}/uuid`, 'listCustomers/rules/uuid-is-unique'])
    expect(swept(address)).toEqual({ judged: 2000, broken: 0, records: 'customers' });
  expect(swept('getCard/data/card/id')).toBeUndefined();
  expect(conformance?.sweeps).toEqual([
    {
      operation: 'listCustomers',
      noun: 'customers',
      mode: 'all',
      judged: 2000,
      population: 2000,
      pages: 7,
      blocked: [],
    },
  ]);
  expect(conformance?.gates?.find(({ address }) => address === 'run/sweep')?.verdict).toBe('pass');
  expect(output).toContain('2,000 of 2,000 customers were judged, on 7 pages');
  const text = 'by 3 of 2,000 customers (0.15 %), first at number 601, 1,202, 1,803 of the list';
  expect(output).toContain(text);
  for (const name of ['conformance.md', 'contract.html'])
    expect(files().find((file) => file.name === name)?.text, name).toContain(text);
});

test('a sweep looks up one customer of each form that its pages show', async () => {
  const alter: Alter = (answer, { operation, parameters }) => {
    const { data } = answer.body as { data?: { customers?: Customer[] } };
    // Only the customers at places 1,501 to 1,520 have this form.
    for (const customer of data?.customers?.filter(({ reference_number }) => rare.has(reference_number)) ??
      [])
      Object.assign(customer, { vip: true });
    return operation === 'getCustomer' && rareIds.has(parameters.id ?? '') ? notFound : answer;
  };
  const population = { customers: 2000 };
  const all = createPopulation(population).list('all', 1500, 1520) ?? [];
  const [rare, rareIds] = [
    new Set(all.map((one) => one.reference_number)),
    new Set(all.map(({ uuid }) => uuid)),
  ];
  const notFound = errorAnswer(404, 'customer not found', { rejection: 'status' });
  const run = await runInProcessAgainst({ population, alter }, { SWEEP: 'all' });
  expect(addressesOf({ conformance: run.conformance } as never, 'violation')).toEqual([
    'getCustomer/rules/listed-is-found',
  ]);
  expect(run.output).toContain('of what the sweep looked up, only what breaks this is counted');
});
