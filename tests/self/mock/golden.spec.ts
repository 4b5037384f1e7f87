import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { defaultChoices } from '../../../mock/choices.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { valueOfPreviousCustomer } from '../../../mock/population.ts';
import { createInProcessMock } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { computeCoverage } from '../../../src/verdict/coverage.ts';
import { answerQuestions } from '../harness/observing.ts';
import { fullRecords } from '../proof/full-records.ts';

/*
 * What the mock answers, whole: `npm run dev:self -- mock/golden --update-snapshots` writes it anew. Examples and recorded
 * behaviour rest on records that are the same on every machine.
 */

const requestGroups = JSON.parse(
  readFileSync(new URL('requests.json', import.meta.url), 'utf8'),
  (name, value) => (name === 'value' && value === 'previous' ? valueOfPreviousCustomer : value),
);

test('each answer matches its snapshot', async () => {
  const lines = [JSON.stringify([defaultChoices, knownIdentifiers, fullRecords])];
  for (const [{ choices, population, ...requestFields }, ...urls] of requestGroups) {
    const { respond, requests } = createInProcessMock({ choices, population });
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
