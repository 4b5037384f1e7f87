import { expect, test } from '@playwright/test';
import {
  buildContract,
  type Contract,
  loadContract,
  type Operation,
  readSpecTexts,
} from '../../../schemas/contract/contract.ts';
import {
  type Document,
  membersOf,
  type ReadingSizes,
  readJson,
  sizeOf,
  valueAt,
} from '../../../schemas/json/read.ts';
import { judge } from '../../../schemas/judge/judge.ts';
import type { Observation } from '../../redaction/observation.ts';
import { observe } from '../../redaction/observe.ts';
import { isSoak } from '../soak.ts';

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
  const read = new Map(membersOf(value));
  const kinds = (all: [unknown, unknown][]) => all.map(([name, one]) => [name, kind(one)]);
  expect(kinds(names.map((name) => [name, read.get(name)]))).toEqual(
    kinds(fields.map(([name, one]) => [name, one])),
  );
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

const page = (elements: string) => `{"code":200,"message":"m","data":{"customers":[${elements}]}}`;
const timesIn = (size: number, unit: string) => Math.floor(size / (unit.length + 1));
const filled = (size: number, unit: string) => page(`${`${unit},`.repeat(timesIn(size, unit))}${unit}`);
const numbered = (size: number, make: (number: string) => string) =>
  Array.from({ length: size / make('99999').length }, (_, index) => make(index.toString(36))).join();

type Shape = [name: string, text: (size: number) => string, pointer: string, actual: string, places?: string];
const missing = 'nothing: it is missing';

/** Texts of a size, and what is wrong with them first: as often as a unit is in the text, or once. */
const shapes: Shape[] = [
  ['empty objects', (size) => filled(size, '{}'), '/data/customers/0/dial_code', missing, '{}'],
  ['empty arrays', (size) => filled(size, '[]'), '/data/customers/0', 'an array of 0', '[]'],
  ['nested arrays', (size) => filled(size, '[[[]]]'), '/data/customers/0', 'an array of 1', '[[[]]]'],
  ['any depth', (size) => `{"data":${'['.repeat(size)}${']'.repeat(size)}}`, '/code', missing],
  ['what is no JSON', (size) => filled(size, '{}').slice(1), 'http', 'a body that is not JSON'],
  ['keys in one object', (size) => `{${numbered(size, (key) => `"_${key}":1`)}}`, '/code', missing],
];
const digits: Shape = ['digits', (size) => filled(size, '7'), '/data/customers/0', 'a number', '7'];
const manyKeys: Shape = [
  'keys in many objects',
  (size) => page(numbered(size, (key) => `{"${key}":1}`)),
  '/data/customers/0/dial_code',
  missing,
];
const texts: Shape = [
  'texts, none like another,',
  (size) => page(numbered(size, (key) => `"${String(Number.parseInt(key, 36)).padStart(8, '0')}"`)),
  '/data/customers/0',
  'a string of 8 characters, shaped "00000000"',
];
const all = [...shapes, digits, manyKeys, texts];

/** How many bytes of a text each place takes, where each is another one. */
const lengths: Record<string, number> = { [manyKeys[0]]: 11, [texts[0]]: 10 };

/** Judges such a text in time that grows with its size. */
function expectJudged([name, text, pointer, actual, unit]: Shape, size: number, sizes?: ReadingSizes): void {
  const body = Buffer.from(text(size));
  const begin = process.cpuUsage();
  // What was read is known by its body.
  if (sizes) readJson(body, schema, sizes);
  const { findings, blocked } = observed(body);
  expect(process.cpuUsage(begin).user / 1e6, name).toBeLessThan(1 + size / 420_000);
  expect(blocked, name).toBeUndefined();
  const length = lengths[name];
  const inMany = length ? Math.floor(size / length) : 1;
  const places = unit ? timesIn(size, unit) + 1 : inMany;
  const first = findings.find((finding) => finding.pointer === pointer);
  expect(first, name).toMatchObject({ kind: 'violation', actual, places });
}

for (const shape of all)
  test(`many ${shape[0]} are judged in time, read by pieces`, () => {
    expectJudged(shape, 210_000, { whole: 0, chunk: 10_000 });
  });

test('four megabytes of digits are judged in time', () => expectJudged(digits, 4_200_000));

if (isSoak)
  for (const shape of all)
    test(`thirty-two megabytes of ${shape[0]} are judged in time`, () => expectJudged(shape, 32_000_000));

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
