import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readFile } from '../../../schemas/contract/files.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { getParentPointer, isObjectOrArray } from '../../../schemas/json.ts';
import { groupOf } from '../../../src/verdict/requirement-group.ts';
import { aboutListed } from './listed-operations.ts';

const contract = loadContract();
const { operations } = contract;
const requirements = requirementsOf(contract);
const nodes = operations.flatMap(nodesOf);
const { value: document } = readFile('openapi.yaml', contract.text);
const { info } = document as { info: { 'x-sections': string } };
const sections = info['x-sections'].split(' ');

const repeated = (texts: string[]) => texts.filter((word, index) => texts.indexOf(word) !== index);

test('addresses are unique; all that is said of a requirement stays what it is', () => {
  expect(repeated(requirements.map(({ address }) => address))).toEqual([]);
  const lines = requirements.map((one) =>
    [one.address, one.level, one.statement, one.place, one.source, groupOf(one)].join(' | '),
  );
  expect(
    aboutListed(lines, 'catalogue.txt'),
    'An address identifies a requirement in reports, the ledger and histories. If the change is meant, take it over: ' +
      'npx playwright test --config tests/self catalogue --update-snapshots',
  ).toMatchSnapshot('catalogue.txt');
});

test('titles are short facts, and unique among the siblings of a requirement', () => {
  const statements = requirements.map(({ statement }) => statement);
  expect(statements.filter((title) => /\bshould\b|\btests?\b/i.test(title))).toEqual([]);
  expect(statements.filter((title) => title.length >= 140 || title.length < 10)).toEqual([]);
  expect(statements.filter((title) => /undefined|null|\[object|`body`/.test(title))).toEqual([]);
  const named = requirements.map(({ address, statement }) => `${getParentPointer(address)}: ${statement}`);
  expect(repeated(named)).toEqual([]);
});

test('every leaf and every parameter is classified', () => {
  const leaves = nodes.filter(({ schema }) => !schema.properties && !schema.items);
  const parameters = operations.flatMap(({ id, parameters: own }) =>
    own.map((one) => ({ ...one, place: `${id} ${one.name}` })),
  );
  const all = [
    ...leaves.map((one) => ({ ...one.schema, place: one.operation + one.pointer })),
    ...parameters,
  ];
  expect(all.filter((one) => !one['x-data-classification']).map(({ place }) => place)).toEqual([]);
  expect(all.length).toBeGreaterThan(50);
});

test('every source is a section of the contract, which `x-sections` lists', () => {
  const inDocument = sourcesIn(document);
  const sources = [
    ...inDocument,
    ...requirements.map(({ source }) => source),
    ...nodes.map(({ source }) => source),
  ];
  expect(sources.filter((source) => typeof source !== 'string' || !sections.includes(source))).toEqual([]);
  expect(inDocument.length).toBeGreaterThan(20);
});

/** Values of every `x-source`, wherever it stands. */
function sourcesIn(value: unknown): unknown[] {
  if (!isObjectOrArray(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === 'x-source' ? [child] : sourcesIn(child)));
}
