import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { listCodeFiles } from '../../../schemas/contract/contract.ts';

/** Path endings of files whose change invalidates the cached contract. */
const pathEnds = [
  '/schemas/contract/validators.ts',
  '/schemas/contract/openapi.schema.json',
  '/schemas/json.ts',
  '/schemas/counted.ts',
  '/node_modules/ajv/package.json',
  '/node_modules/ajv-formats/package.json',
  '/node_modules/yaml/package.json',
];

test('the cached contract depends on the code and on the packages that build it', () => {
  const codePaths = listCodeFiles().map((file) => (file instanceof URL ? fileURLToPath(file) : file));
  const isListed = (end: string) => codePaths.some((codePath) => codePath.endsWith(end));
  expect(pathEnds.filter((end) => !isListed(end))).toEqual([]);
});
