import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { listRequirements } from '../../../schemas/contract/requirements.ts';

const folder = new URL('../../contract/', import.meta.url);
const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));

/** Matches `test('responds with HTTP 200', tagRequirement('getCard/http/status')`. */
const taggedTest = /test\(\s*(['"])(?<title>.+)\1,\s*tagRequirement\('(?<address>.+)'\)/g;
const namedTests = texts
  .flatMap((text) => [...text.matchAll(taggedTest)])
  .map(({ groups }) => ({ title: groups?.title ?? '', address: groups?.address ?? '' }));

test('the title of each test in tests/contract/ is the statement of its requirement', () => {
  const statements = new Map(
    listRequirements(loadContract()).map(({ address, statement }) => [address, statement]),
  );
  expect(namedTests).toEqual(namedTests.map(({ address }) => ({ title: statements.get(address), address })));
  const tagCount = texts.join().split(/tagRequirement\('/).length - 1;
  expect(namedTests).toHaveLength(tagCount);
});
