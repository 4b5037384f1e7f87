import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { defaultChoices } from '../../../mock/choices.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { createInProcessMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { computeCoverage } from '../../../src/verdict/coverage.ts';
import { answerQuestions } from '../harness/observing.ts';
import { fullRecords } from '../proof/full-records.ts';
import { createPopulation, valueOfPreviousCustomer } from './population.ts';

/*
 * Complete answers of the mock. `npm run dev:self -- mock/golden --update-snapshots` updates the snapshot. Examples in the
 * documents and recorded behaviour depend on records that are the same on every machine.
 */

// JSON has no symbols, so `"value": "previous"` stands for `valueOfPreviousCustomer`.
const reviveSymbol = (key: string, value: unknown) =>
  key === 'value' && value === 'previous' ? valueOfPreviousCustomer : value;

const requestsFile = new URL('requests.json', import.meta.url);
const requestGroups = JSON.parse(readFileSync(requestsFile, 'utf8'), reviveSymbol);

test('each answer matches its snapshot', async () => {
  const lines = [JSON.stringify([defaultChoices, knownIdentifiers, fullRecords])];
  for (const [{ choices, population, ...requestFields }, ...urls] of requestGroups) {
    // Without `population`, the mock has its own customers.
    const store = population && createPopulation(population);
    const { respond, requests } = createInProcessMock({ choices, store });
    for (const url of urls) {
      const { body, ...answerHead } = await respond({ method: 'GET', headers: {}, ...requestFields, url });
      lines.push(`${requests.length} ${url}`, `  ${JSON.stringify(answerHead)}`);
      lines.push(`  ${JSON.stringify(body).replaceAll('},{', '},\n    {')}`);
    }
  }
  expect(`${lines.join('\n')}\n`).toMatchSnapshot(['answers.txt']);
});

test('the mock shows each documented value, and each optional field both present and absent', async () => {
  const { observations } = await answerQuestions({}, { probes: false });
  expect(computeCoverage(loadContract(), observations).states.missing).toEqual([]);
});
