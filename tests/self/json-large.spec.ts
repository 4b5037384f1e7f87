import { expect, test } from '@playwright/test';
import {
  buildContract,
  type Contract,
  loadContract,
  type Operation,
  readSpecTexts,
} from '../../schemas/contract.ts';
import { type Document, membersOf, readJson, sizeOf, valueAt } from '../../schemas/json.ts';
import { judge } from '../../schemas/judge.ts';
import type { Observation } from '../client/observation.ts';
import { observe } from '../client/observe.ts';

const { schema } = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
const byPieces = { whole: 0, chunk: 50 };

/** A document that is read by pieces of some bytes. */
function readPieces(text: string): Document {
  const document = readJson(Buffer.from(text), schema, byPieces);
  if (!('value' in document)) throw new Error(document.problem);
  return document;
}

test('a list that is read by pieces is an array to its readers', () => {
  const customers = Array.from({ length: 40 }, (_, index) => ({ uuid: `c${index}`, list: [index] }));
  const { value } = readPieces(JSON.stringify({ data: { customers } }));
  const list = valueAt(value, '/data/customers') as unknown[];
  expect(Array.isArray(list)).toBe(true);
  expect([list.length, 39 in list, 40 in list, '01' in list]).toEqual([40, true, false, false]);
  expect([...list]).toEqual(customers);
  expect(list.slice(30, 32)).toEqual(customers.slice(30, 32));
  expect([list[39], list[0], list[40], valueAt(value, '/data/customers/17/list/0')]).toEqual([
    customers[39],
    customers[0],
    undefined,
    17,
  ]);
  expect(JSON.stringify(value)).toBe(JSON.stringify({ data: { customers } }));
});

test('an object with many fields tells all of them, and keeps some', () => {
  const names = Array.from({ length: 3000 }, (_, index) => `f${index}`);
  const fields = names.map((name) => [name, [{}, [], 'text', 5, null, true][name.length % 6]]);
  const text = JSON.stringify({ ...Object.fromEntries(fields), code: 200, __proto__: null });
  const value = readPieces(text).value as Record<string, unknown>;
  expect(value.code).toBe(200);
  expect(sizeOf(value)).toBe(3001);
  expect(Object.keys(value).length).toBeLessThan(1100);
  const kind = (one: unknown) => (Array.isArray(one) ? 'array' : one === null ? 'null' : typeof one);
  const told = new Map(membersOf(value));
  for (const [name, expected] of fields) expect(kind(told.get(String(name)))).toBe(kind(expected));
});

test('what is written of a large text is what is not JSON, empty or lossy in it', () => {
  const problem = (text: string) => readJson(Buffer.from(text), schema, byPieces);
  expect(problem(' \n ')).toEqual({ problem: 'empty' });
  for (const text of [
    '[1 2]',
    '{"a" 1}',
    '{"a":1,}',
    '[1,]',
    '{,}',
    '["\\x"]',
    '[01]',
    '[1.]',
    '[-]',
    '[tru]',
    ']',
  ])
    expect(problem(text), text).toEqual({ problem: 'not JSON' });
  const { repeatedKeys, infiniteNumbers, inexactNumbers } = readPieces(
    '{"a":{"b":1,"\\u0062":2},"c":[1e999],"code":200.00000000000000001,"a":1}',
  );
  expect([...repeatedKeys]).toEqual(['/a/b', '/a']);
  expect([...infiniteNumbers]).toEqual(['/c/0']);
  expect([...inexactNumbers].map(([pointer]) => pointer)).toEqual(['/code']);
});

const size = 4_200_000;
const page = (elements: string) => `{"code":200,"message":"m","data":{"customers":[${elements}]}}`;
const filled = (unit: string) => page(`${`${unit},`.repeat(size / (unit.length + 1))}${unit}`);
const numbered = (make: (number: string) => string) =>
  Array.from({ length: size / make('99999').length }, (_, index) => make(index.toString(36))).join();

/** Texts of more than 4 MB, and what is wrong with them first. */
const shapes: [name: string, text: string, pointer: string, actual: string, places: number][] = [
  ['empty objects', filled('{}'), '/data/customers/0/dial_code', 'nothing: it is missing', 1_400_001],
  ['empty arrays', filled('[]'), '/data/customers/0', 'an array of 0', 1_400_001],
  ['digits', filled('7'), '/data/customers/0', 'a number', 2_100_001],
  ['nested arrays', filled('[[[]]]'), '/data/customers/0', 'an array of 1', 600_001],
  ['any depth', `{"data":${'['.repeat(size)}${']'.repeat(size)}}`, '/code', 'nothing: it is missing', 1],
  ['what is no JSON', filled('{}').slice(1), 'http', 'a body that is not JSON', 1],
  ['keys in one object', `{${numbered((key) => `"${key}":1`)}}`, '/code', 'nothing: it is missing', 1],
  [
    'keys in many objects',
    page(numbered((key) => `{"${key}":1}`)),
    '/data/customers/0/dial_code',
    'nothing: it is missing',
    Math.floor(size / 11),
  ],
];

for (const [name, text, pointer, actual, places] of shapes) {
  test(`four megabytes of ${name} are judged in time`, () => {
    const begin = process.cpuUsage();
    const { findings, blocked } = observed(Buffer.from(text));
    expect(process.cpuUsage(begin).user / 1e6).toBeLessThan(10);
    expect(blocked).toBeUndefined();
    const first = findings.find((finding) => finding.pointer === pointer);
    expect(first).toMatchObject({ kind: 'violation', actual, places });
  });
}

test('of a record like thousands that lack a field, the name that the ledger accepts is still seen', () => {
  const entry = `- requirement: listCustomers/data/customers/*/dial_code
  accepts: { name: prefix }
  because: Tolerated.
  source: "2.4"`;
  const contract = buildContract({ ...readSpecTexts(), 'ledger.yaml': entry });
  const records = `${'{"x":1},'.repeat(10_001)}{"prefix":"+65"}`;
  const { findings } = observed(Buffer.from(page(records)), contract);
  const found = findings.filter(({ requirement }) => requirement.endsWith('/dial_code'));
  expect(found.map(({ kind, places }) => [kind, places])).toEqual([
    ['violation', 10_001],
    ['deviation', 1],
  ]);
});

function observed(
  body: Buffer,
  { operations, ledger }: Pick<Contract, 'operations' | 'ledger'> = loadContract(),
): Omit<Observation, 'expectsSuccess'> {
  const operation = operations.find(({ id }) => id === 'listCustomers') as Operation;
  const answer = { status: 200, contentType: 'application/json', body };
  const judgement = judge({ operation, parameters: {}, answer });
  const request = {
    operation: 'listCustomers',
    parameters: {},
    configured: true,
    exchange: 'GET /',
    repeat: '',
  };
  return observe(operation, request, judgement, ledger);
}
