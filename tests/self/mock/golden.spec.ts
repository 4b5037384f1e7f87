import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { defaultChoices } from '../../../mock/choices.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { ofPrevious } from '../../../mock/population.ts';
import { createProvider } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { coverageOf } from '../../../src/verdict/coverage.ts';
import { behaviourOf } from '../harness/observing.ts';
import { fullRecords } from '../proof/full-records.ts';

/*
 * What the mock answers, whole: `npm run dev:self -- mock/golden --update-snapshots` writes it anew. Examples and recorded
 * behaviour rest on records that are the same on every machine.
 */

/** How the mock is, and what it is asked. */
const asked = JSON.parse(readFileSync(new URL('asked.json', import.meta.url), 'utf8'), (name, value) =>
  name === 'value' && value === 'previous' ? ofPrevious : value,
);

test('each answer', async () => {
  const lines = [JSON.stringify([defaultChoices, knownIdentifiers, fullRecords])];
  for (const [{ choices, population, ...more }, ...urls] of asked) {
    const { answer, requests } = createProvider({ choices, population });
    for (const url of urls) {
      const { body, ...head } = await answer({ method: 'GET', headers: {}, ...more, url });
      lines.push(`${requests.length} ${url}`, `  ${JSON.stringify(head)}`);
      lines.push(`  ${JSON.stringify(body).replaceAll('},{', '},\n    {')}`);
    }
  }
  expect(`${lines.join('\n')}\n`).toMatchSnapshot(['answers.txt']);
});

test('each documented value is shown, and each optional field with it and without it', async () => {
  const { observations } = await behaviourOf({}, { probes: false });
  expect(coverageOf(loadContract(), observations).states.missing).toEqual([]);
});
