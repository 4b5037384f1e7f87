import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { eachHiddenText } from '../../redaction/body-text.ts';
import { WordFilter } from '../../redaction/word-filter.ts';

const schema = loadContract().operations.find(({ id }) => id === 'listCustomers')?.schema;

function hiddenIn(body: string): string[] {
  const texts: string[] = [];
  eachHiddenText(body, schema, (text) => texts.push(text));
  return texts;
}

const bodies: [name: string, body: string, hidden: string[]][] = [
  ['what is public', '{"code":200,"data":{"customers":[{"default_payment_method":"Cash"}]}}', []],
  ['what is not', '{"message":"m","data":{"customers":[{"name":"Ada","phone":7}]}}', ['m', 'Ada', '7']],
  ['undeclared fields', '{"a":{"b":[true,{"c":"d"}]}}', ['b', 'true', 'c', 'd']],
  ['a public field that holds more than a value', '{"code":{"a":"b"}}', ['a', 'b']],
  ['an array in place of an object', '{"data":["a",{"customers":"b"}]}', ['a', 'customers', 'b']],
  ['the same key twice', '{"message":"a","message":"b"}', ['a', 'b']],
  ['names of prototypes', '{"__proto__":{"a":1},"constructor":"b"}', ['a', '1', 'b']],
  ['escapes', '{"message":"\\u0041d\\"a"}', ['Ad"a']],
  ['a string without an end', '{"message":"Ada', ['Ada']],
  ['brackets that close nothing', ']}{"message":"Ada"}', [']}{"message":"Ada"}']],
  ['no JSON', '<p>Ada</p>', ['<p>Ada</p>']],
];

for (const [name, body, hidden] of bodies) {
  test(`the hidden text of ${name}`, () => expect(hiddenIn(body)).toEqual(hidden));
}

test('every text of an undeclared field is found, however deep, and any bytes are read', () => {
  const words = fc.string({ unit: fc.constantFrom(...'abcXYZ019 "\\\n{}[]:,é'), maxLength: 12 });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 30 }, words, fc.array(tie('value'), { maxLength: 3 }), tie('record')),
    record: fc.dictionary(words, tie('value'), { maxKeys: 3 }),
  }));
  fc.assert(
    fc.property(value, fc.nat(), (inside, cut) => {
      const text = JSON.stringify({ extra: inside });
      const found = new Set(hiddenIn(text));
      hiddenIn(text.slice(0, cut % text.length));
      return textsIn(inside).every((one) => found.has(one));
    }),
    { numRuns: 300, seed: 1 },
  );
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...textsIn(child),
  ]);
}

const hostile: Record<string, string> = {
  arrays: '[[],'.repeat(1_000_000),
  'a deep value': '{"a":'.repeat(800_000),
  backslashes: `{"a":"${'\\'.repeat(4_000_000)}`,
  'quotation marks': '["'.repeat(2_000_000),
  digits: `[${'0'.repeat(4_000_000)}`,
  words: `{"a":"${'ab '.repeat(1_300_000)}"}`,
  'accents of one letter': `{"a":"e${'\u0301\u0316'.repeat(1_000_000)}"}`,
  'other alphabets': `{"a":"${'Ёж 王\uFDFA'.repeat(300_000)}"}`,
};

for (const [name, body] of Object.entries(hostile)) {
  test(`four megabytes of ${name} are read in time`, () => {
    const filter = personalFilter();
    const started = performance.now();
    eachHiddenText(body, schema, (text) => filter.add(text));
    expect(performance.now() - started).toBeLessThan(3_000);
  });
}

const personal = [
  'Maria Anna Luisa Gonzales Baumgartner',
  'maria.gonzales@mail.tiefenseebank.example',
  'Lindenstrasse 12, Li Wu',
  'tok_live_SUPERSECRETTOKENvalue',
  '1701234567',
  '+49 30 / 55-66-77',
];

const personalFilter = () => new WordFilter({ alone: 5, inside: 6 });

function filterOf(texts: string[]): WordFilter {
  const filter = personalFilter();
  for (const text of texts) filter.add(text);
  return filter;
}

/** Every piece of a text from so many characters on, as it is folded. */
function piecesOf(text: string, from: number): string[] {
  const folded = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const starts = Array.from({ length: Math.max(0, folded.length - from + 1) }, (_, start) => start);
  return starts.flatMap((start) => {
    const rest = folded.slice(start);
    return Array.from({ length: rest.length - from + 1 }, (_, more) => rest.slice(0, from + more));
  });
}

test('every piece of a text from five characters on is known in any letter case and with any separators', () => {
  const filter = filterOf(personal);
  const pieces = personal.flatMap((text) => piecesOf(text, 5));
  const forms = pieces.flatMap((piece) => [piece.toUpperCase(), piece.split('').join('_')]);
  expect(forms.length).toBeGreaterThan(2000);
  expect(forms.filter((form) => !filter.has(form))).toEqual([]);
});

test('six characters of a text, or a word of it, are found inside of a word', () => {
  const filter = filterOf([...personal, 'null']);
  const holding = [
    'xMaria',
    'Maria_2',
    'the-GON-zales',
    'myGonzal',
    'x_umgart',
    'tiefenseebanking',
    'a1701234567',
    'b_170123',
    'x_li.ndenstrasse',
    'to49305566_77',
  ];
  for (const word of holding) expect(filter.has(word), word).toBe(true);
  for (const word of ['xMari', 'xLi', 'xGonza', 'nullable', 'xumgar'])
    expect(filter.has(word), word).toBe(false);
});

test('a text is known without its accents, in full width, and with invisible characters in it', () => {
  const filter = filterOf([
    'José Zoë',
    'Ｑｕｉｌｌａ',
    'Zo\u00adran\u00adder',
    'Weiß Łukasz Sørensen Franc\u0327ois',
  ]);
  for (const word of ['jose', 'ZOE', 'xQuilla', 'my_zorander', 'weiss', 'Lukasz', 'Sorensen', 'francois'])
    expect(filter.has(word), word).toBe(true);
  expect(filter.has('joz')).toBe(false);
});

test('of what is shorter, words and four digits are known', () => {
  const filter = filterOf(personal);
  for (const known of ['Anna', 'li', 'WU', 'LiWu', 'tok', '1701', '4567', '5566', '-55.66', '12'])
    expect(filter.has(known), known).toBe(true);
  for (const unknown of ['Mari', 'nnal', 'bank', '4568', 'a', 'W'])
    expect(filter.has(unknown), unknown).toBe(false);
});

const vocabulary =
  'Frozen Closed Blocked Pending Expired Cancelled Virtual Physical Debit Credit Prepaid BankTransfer ApplePay ' +
  'not_found invalid_request nickname created_at loyalty_level kumquat 40001 48151 9999 404123';

test('an ordinary vocabulary stays unknown beside the names of thousands', () => {
  const filter = filterOf(personal);
  const random = fc.sample(
    fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 6, maxLength: 30 }),
    {
      numRuns: 3000,
      seed: 1,
    },
  );
  for (const text of random) filter.add(text);
  expect(vocabulary.split(' ').filter((word) => filter.has(word))).toEqual([]);
});

test('a filter knows each word, its neighbours and the whole, and hardly anything else', () => {
  const filter = personalFilter();
  filter.add('Ada Lovelace, née Byron');
  for (const word of ['ada', 'LOVELACE', 'AdaLovelace', 'ada_lovelace', 'lovelace-nee', 'ByronLovelace'])
    expect(filter.has(word), word).toBe(true);
  for (const word of ['love', 'lace', 'adab', 'ByroLovel', 'a']) expect(filter.has(word), word).toBe(false);
  for (let count = 0; count < 100_000; count += 1) filter.add(`word${count}x`);
  const wrong = Array.from({ length: 10_000 }, (_, index) => filter.has(`other${index}x`)).filter(Boolean);
  expect(wrong.length).toBeLessThan(10);
});
