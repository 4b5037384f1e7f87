import { expect, test } from '@playwright/test';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { Confirmation } from '../../relations/confirm.ts';
import type { Doubt, SeenAgain } from '../../relations/doubt.ts';
import { Lag } from '../../relations/lag.ts';
import { printOf } from '../../relations/prints.ts';
import { relationsOf } from '../../relations/relation-rules.ts';
import { all } from '../sweep/odd-list.ts';

test('a page that is requested again, and shows one customer many times, takes time that is linear in its length', async () => {
  const contract = loadContract();
  const operation = contract.operations.find(({ id }) => id === 'listCustomers') as Operation;
  const relations = relationsOf(contract);
  const [plan] = relations.lists;
  const [customer] = all(1);
  const taken: SeenAgain<string>[] = [];
  const sources = ['page'];
  const doubt = {
    ...{ rule: relations.unique[0], second: 'page', cost: 1, isReady: false, isBroken: false },
    listed: { plan, key: printOf(customer?.uuid) },
    next: () => sources.shift(),
    take: (again: SeenAgain<string>) => taken.push(again),
    result: () => undefined,
  } as unknown as Doubt<string>;
  const body = { code: 200, message: 'ok', data: { customers: Array(200_000).fill(customer) } };
  const seen = { operation, parameters: {}, outcome: 'success', body, source: 'page' } as const;
  const noLag = new Lag({ maxRps: Number.POSITIVE_INFINITY });
  const before = process.cpuUsage();
  await new Confirmation([doubt], async () => seen, new Set(), noLag).results();
  const { user, system } = process.cpuUsage(before);
  expect(taken[0]?.records).toHaveLength(200_000);
  // Copying the records before each took minutes.
  expect((user + system) / 1e6).toBeLessThan(3);
});
