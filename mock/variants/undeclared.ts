import { altering, text } from '../edits.ts';
import { aspectOf, assign, everywhere, inTurn, kinds, type Variant } from './variant.ts';

/** Each JSON type, and things that a careless reader of fields stumbles over. */
const undeclaredFields = {
  surprise: 'text',
  count: 1e300,
  ratio: -0.5,
  flag: false,
  nothing: null,
  list: [1, 'two', null, [], {}],
  nested: { code: 500, data: { card: null, fee_rules: 'none' }, list: [{ id: 7 }] },
  limit: { a: 1 },
  userId: 5,
};

/** Writes fields into every object of an answer, at any depth. */
const writing = (kind: string, ...fields: string[]): Variant => ({
  name: `undeclared fields in every object: ${kind}`,
  aspect: 'writing',
  alter: everywhere(text((json) => json.replaceAll('{"', `{${fields.join()},"`))),
});

/** Names that mean something to a language, to a JSON Pointer, or to a terminal. */
const names = {
  'names of what objects have': ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'],
  'names of what lists and promises have': ['length', 'then', 'toJSON', '0'],
  'names that pointers and patterns use': ['', '*', 'a/b', 'a~1b', '~', '$ref'],
  'names of unusual characters': [' ', 'ключ 🔑', '\\u0000', '\\ud800'],
};

const deep = (depth: number) => '{"a":['.repeat(depth) + ']}'.repeat(depth);

/** Fields that the contract does not name, which it does not forbid either (contract 2). */
export const undeclared: Variant[] = [
  ...kinds.map((kind) => ({
    name: `undeclared fields in each ${kind}`,
    aspect: aspectOf[kind],
    alter: assign(kind, undeclaredFields),
  })),
  ...Object.entries(names).map(([kind, some]) =>
    writing(kind, ...some.map((name) => `"${name}":{"x":[null]}`)),
  ),
  writing('null, and more digits than a double has', '"user":null', `"big":${'1234567890'.repeat(3)}.01e-7`),
  {
    name: 'an undeclared field of great depth',
    aspect: 'writing',
    alter: everywhere(text((json) => json.replace('{"', `{"deep":${deep(1500)},"`))),
  },
  {
    name: 'the fields of every other record beside those of a card',
    aspect: 'card',
    alter: assign('card', {
      uuid: 1,
      customer: null,
      dial_code: 44,
      token_type: 'Gold',
      fixed_fee: 0.5,
      code: 1,
    }),
  },
  {
    name: 'the fields of a list beside a single customer',
    aspect: 'customers',
    alter: altering('getCustomer', (answer) => {
      Object.assign((answer.body as { data: object }).data, {
        customers: null,
        total: 1,
        page: { size: 20 },
      });
      return answer;
    }),
  },
  {
    name: 'p_user_id beside user_id',
    aspect: 'fee rules',
    alter: assign('feeRule', { p_user_id: null }),
  },
  {
    name: 'p_user_id where no user is documented',
    alter: inTurn(
      ...kinds.filter((kind) => kind !== 'feeRule').map((kind) => assign(kind, { p_user_id: 1 })),
    ),
  },
];
