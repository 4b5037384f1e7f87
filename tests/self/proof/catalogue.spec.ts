import { expect, test } from '@playwright/test';
import { loadContract, readSpecText } from '../../../schemas/contract/contract.ts';
import { parseSpecFile } from '../../../schemas/contract/files.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { listRequirements } from '../../../schemas/contract/requirements.ts';
import { getParentPointer, isObjectOrArray } from '../../../schemas/json.ts';
import { findReportHeading } from '../../../src/verdict/requirement-group.ts';
import { allFaults } from './faults/index.ts';
import { keepListedOperations } from './listed-operations.ts';

const contract = loadContract();
const { operations } = contract;
const requirements = listRequirements(contract);
const nodes = operations.flatMap(listNodes);
const { value: document } = parseSpecFile('openapi.yaml', readSpecText('openapi.yaml'));
const { info } = document as { info: { 'x-sections': string } };
const sections = info['x-sections'].split(' ');

const findDuplicates = (texts: string[]) => texts.filter((word, index) => texts.indexOf(word) !== index);

test('addresses are unique, and each requirement keeps its level, statement, place and source', () => {
  expect(findDuplicates(requirements.map(({ address }) => address))).toEqual([]);
  const lines = requirements.map((requirement) =>
    [
      requirement.address,
      requirement.level,
      requirement.statement,
      requirement.pointer,
      requirement.source,
      findReportHeading(requirement),
    ].join(' | '),
  );
  expect(
    keepListedOperations(lines, 'catalogue.txt'),
    'An address identifies a requirement in reports, the ledger and histories. If the change is intended, update the snapshot: ' +
      'npx playwright test --config tests/self catalogue --update-snapshots',
  ).toMatchSnapshot('catalogue.txt');
});

test('titles are short facts, and unique among the siblings of a requirement', () => {
  const statements = requirements.map(({ statement }) => statement);
  expect(statements.filter((title) => /\bshould\b|\btests?\b/i.test(title))).toEqual([]);
  expect(statements.filter((title) => title.length >= 140 || title.length < 10)).toEqual([]);
  expect(statements.filter((title) => /undefined|null|\[object|`body`/.test(title))).toEqual([]);
  const qualifiedTitles = requirements.map(
    ({ address, statement }) => `${getParentPointer(address)}: ${statement}`,
  );
  expect(findDuplicates(qualifiedTitles)).toEqual([]);
});

test('every leaf and every parameter is classified', () => {
  const leaves = nodes.filter(({ schema }) => !schema.properties && !schema.items);
  const parameters = operations.flatMap(({ id, parameters: operationParameters }) =>
    operationParameters.map((parameter) => ({ ...parameter, place: `${id} ${parameter.name}` })),
  );
  const valuesToClassify = [
    ...leaves.map((leaf) => ({ ...leaf.schema, place: leaf.operation + leaf.pointer })),
    ...parameters,
  ];
  expect(
    valuesToClassify.filter((classified) => !classified['x-data-classification']).map(({ place }) => place),
  ).toEqual([]);
  expect(valuesToClassify.length).toBeGreaterThan(50);
});

test('every source is a section of the contract, which `x-sections` lists', () => {
  const documentSources = listSources(document);
  const sources = [
    ...documentSources,
    ...requirements.map(({ source }) => source),
    ...nodes.map(({ source }) => source),
  ];
  expect(sources.filter((source) => typeof source !== 'string' || !sections.includes(source))).toEqual([]);
  expect(documentSources.length).toBeGreaterThan(20);
});

function listSources(value: unknown): unknown[] {
  if (!isObjectOrArray(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === 'x-source' ? [child] : listSources(child)));
}

test('the contract rules out all that it did: a fault that is missing here would survive', () => {
  const lines = allFaults.map(({ name, breaks }) => `${name} → ${breaks}`);
  expect(new Set(allFaults.map(({ name }) => name)).size).toBe(lines.length);
  expect(keepListedOperations(lines, 'faults.txt')).toMatchSnapshot('faults.txt');
});

test('parameters and defaults, which no answer can break, are unchanged', () => {
  const parameters = operations.flatMap(({ id, parameters: operationParameters }) =>
    operationParameters.map(
      ({ name, in: place, required = false, schema: { type, format, pattern, enum: values } }) =>
        JSON.stringify([id, name, place, { required, type, format, pattern, values }]),
    ),
  );
  const defaults = nodes
    .filter(({ schema }) => schema.default !== undefined)
    .map(({ operation, pointer, schema }) => `${operation}${pointer} is ${schema.default} by default`);
  const lines = [...parameters, ...defaults];
  expect(keepListedOperations(lines, 'unbreakable.txt')).toMatchSnapshot('unbreakable.txt');
});
