import { expect, test } from '@playwright/test';
import { loadContract, readSpecTexts, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { locateRequirement } from '../../../schemas/contract/locations.ts';
import { type Requirement, requirementsOf } from '../../../schemas/contract/requirements.ts';
import { lastStep } from '../../../schemas/json.ts';

const texts = readSpecTexts();
const contract = loadContract();
const requirements = requirementsOf(contract);

/** Returns the rest of the line at which a requirement is located, after the column. */
function textAt(requirement: Requirement): string {
  const { file, line, column } = locateRequirement(contract, requirement);
  const lines = texts[file.replace('spec/', '') as keyof SpecTexts].split('\n');
  return lines[line - 1]?.slice(column - 1) ?? '';
}

/** Names the key that a requirement is written under. */
function keyOf(requirement: Requirement): string {
  const { kind, operation, address, place } = requirement;
  if (kind === 'rule') return `address: ${address.slice(operation.length + 1)}`;
  if (kind === 'status') return '"200":';
  if (kind === 'media-type' || kind === 'json') return 'application/json:';
  if (kind === 'parameter') return `name: ${requirement.parameter.name}`;
  if (kind === 'occurring-values') return 'x-values-that-occur:';
  if (place === '') return 'schema:';
  return place.endsWith('*') ? 'items:' : `${lastStep(place)}:`;
}

test('each requirement is located at the key that it is derived from', () => {
  expect(requirements.length).toBeGreaterThan(100);
  const misplaced = requirements.filter((requirement) => !textAt(requirement).startsWith(keyOf(requirement)));
  expect(misplaced.map((requirement) => `${requirement.address}: ${textAt(requirement)}`)).toEqual([]);
});

test('a parameter, a field of a component and a rule have the line of their own operation', () => {
  const located = (address: string) => {
    const requirement = requirements.find((candidate) => candidate.address === address);
    return requirement && locateRequirement(contract, requirement);
  };
  const lineWith = (name: keyof SpecTexts, key: string) =>
    texts[name].slice(0, texts[name].indexOf(key)).split('\n').length;
  const paths = contract.operations.map(({ path }) => lineWith('openapi.yaml', `  ${path}:`));
  for (const [index, { id, path }] of contract.operations.entries()) {
    const { line = 0 } = located(`${id}/http/status`) ?? {};
    expect(line, path).toBeGreaterThan(paths[index] ?? 0);
    expect(line, path).toBeLessThan(paths[index + 1] ?? Number.POSITIVE_INFINITY);
  }
  const component = lineWith('openapi.yaml', '    CardLimit:');
  expect(located('getCard/data/card/limits/*/period')?.line).toBeGreaterThan(component);
  expect(located('getCustomer/rules/id-is-requested')).toEqual({
    file: 'spec/requirements.yaml',
    line: lineWith('requirements.yaml', 'statement: the customer is the one that was requested') - 3,
    column: 3,
  });
});
