import fc from 'fast-check';
import { anyText } from '../../probes/any-text.ts';

/** A change of a JSON text. `place` is a fraction: of all places that there are to change, which one. */
export interface Mutation {
  kind: keyof typeof mutate;
  place: number;
  name: string;
  value: string;
  bytes: string;
  times: number;
}

const prototypeNames =
  '__proto__ constructor prototype toString valueOf hasOwnProperty length then toJSON map';
const fieldNames = 'code data card customers customer fee_rules uuid id limits p_user_id user_id fixed_fee';
const names = `${prototypeNames} ${fieldNames}`.split(' ');

const values = [
  'null',
  '{}',
  '[]',
  '""',
  '0',
  '-0',
  'true',
  '200.00000000000000001',
  '1.0000000000000000000001',
  '1e999',
  '1e-400',
  `1${'0'.repeat(400)}`,
  `0.${'0'.repeat(300)}1`,
  '"\\ud800"',
  '"\\u0000\\"}]"',
  '"ключ 🔑"',
  '[[[[[[]]]]]]',
  '{"toString":1}',
  '{"__proto__":{"needs":1.00000000000000000001}}',
  '{"constructor":{"prototype":{"map":1.00000000000000000001}}}',
];

const keys = /"[^"\\]*"(?=:)/g;
const scalars = /(?<=:)("[^"\\]*"|[\d.eE+-]+|true|false|null)/g;
const objects = /\{/g;
const elements = /(?<=[[,])\{[^{}[\]]*\}(?=[,\]])/g;

/** Replaces what stands at one of the places that fit a pattern. */
function replaced(text: string, pattern: RegExp, place: number, by: (found: string) => string): string {
  const all = [...text.matchAll(pattern)];
  const found = all[Math.floor(place * all.length)];
  if (!found) return text;
  return text.slice(0, found.index) + by(found[0]) + text.slice(found.index + found[0].length);
}

type Change = (text: string, mutation: Mutation) => string;

const at = (text: string, place: number) => Math.floor(place * text.length);

/** Changes that leave JSON what it is, and two that seldom do. */
const mutate = {
  value: (text, { place, value }) => replaced(text, scalars, place, () => value),
  key: (text, { place, name }) => replaced(text, keys, place, () => `"${name}"`),
  member: (text, { place, name, value }) => replaced(text, objects, place, () => `{"${name}":${value},`),
  members: (text, { place, name, value, times }) =>
    replaced(text, objects, place, () => `{${`"${name}":${value},`.repeat(times)}`),
  repeat: (text, { place, times }) =>
    replaced(text, elements, place, (found) => `${found},`.repeat(times) + found),
  nest: (text, { place, value, times }) =>
    replaced(text, scalars, place, () => `{"a":[`.repeat(times * 20) + value + ']}'.repeat(times * 20)),
  insert: (text, { place, bytes }) => text.slice(0, at(text, place)) + bytes + text.slice(at(text, place)),
  cut: (text, { place, times }) => text.slice(0, at(text, place)) + text.slice(at(text, place) + times),
} satisfies Record<string, Change>;

const often = ['value', 'key', 'member', 'members', 'repeat', 'nest'] as const;

/** Some changes, one after the other. */
export const mutations = fc.array(
  fc.record<Mutation>({
    kind: fc.oneof(
      { arbitrary: fc.constantFrom(...often), weight: 20 },
      { arbitrary: fc.constantFrom('insert', 'cut'), weight: 1 },
    ),
    place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    name: fc.constantFrom(...names),
    value: fc.constantFrom(...values),
    bytes: anyText(6),
    times: fc.integer({ min: 1, max: 80 }),
  }),
  { minLength: 1, maxLength: 6 },
);

export const mutated = (text: string, changes: Mutation[]): string =>
  changes.reduce((current, change) => mutate[change.kind](current, change), text);
