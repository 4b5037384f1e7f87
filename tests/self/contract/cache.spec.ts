import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { listCodeFiles } from '../../../schemas/contract/contract.ts';

/** Ends of the paths of some files after whose change the contract must be built anew, instead of read from the cache. */
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
