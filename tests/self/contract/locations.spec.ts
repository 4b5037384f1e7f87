import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { parseSpecFile } from '../../../schemas/contract/files.ts';
import { listRequirements } from '../../../schemas/contract/requirements.ts';

const contract = loadContract();
const requirements = listRequirements(contract);

function readTextAt(address: string): string {
  // Location such as `spec/openapi.yaml:12:9`: file, line and column, counted from 1.
  const location = contract.locations[address] ?? '';
  const [file = '', lineNumber, column] = location.split(':');
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines[Number(lineNumber) - 1] ?? '';
  return line.slice(Number(column) - 1);
}

for (const [address, text] of [
  ['getCard/http/status', /^['"]?200['"]?:/],
  ['getCard/http/content-type', /^application\/json:/],
  ['getCard/parameters/id', /^name: id/],
  ['listCustomers/parameters/linked_source_type', /^name: linked_source_type/],
  ['getCard/data/card/expiration_date', /^expiration_date:/],
  ['getCard/data/card/limits/*/period/values-that-occur', /^period:/],
  ['listCustomers/data/customers/*/default_payment_token/credit_card/brand', /^brand:/],
  ['getFeeRules/rules/user-id-required', /^- address: rules\/user-id-required/],
] as const)
  test(`${address} is located at the line of the contract that states it`, () => {
    expect(readTextAt(address)).toMatch(text);
  });

test('a path that leads nowhere is located where it breaks off', () => {
  const { getLine } = parseSpecFile(
    'sample.yaml',
    'info: { title: Sample }\npaths:\n  /cards: {}\ntags: []\n',
  );
  expect(getLine(['paths', '/cards'])).toBe(3);
  expect(getLine(['paths', '/customers', 'tags'])).toBe(2);
  expect(getLine(['components', 'tags'])).toBe(1);
});

test('each field is located at a line that names it', () => {
  const fields = requirements.filter(
    (requirement) => 'node' in requirement && requirement.node.kind === 'field',
  );
  const misplaced = fields.filter(
    ({ address, pointer }) => !readTextAt(address).startsWith(pointer.split('/').at(-1) ?? ''),
  );
  expect(misplaced.map(({ address }) => address)).toEqual([]);
  expect(fields.length).toBeGreaterThan(70);
});
