import type { Card } from '../../../../mock/records.ts';
import { cards } from '../../../../mock/seed.ts';
import type { Alter } from '../../../../mock/server.ts';
import { loadContract } from '../../../../schemas/contract/contract.ts';
import { type Node, nodesOf } from '../../../../schemas/contract/nodes.ts';
import { altering, set } from '../../harness/edits.ts';
import { exampleOf } from '../derived.ts';
import {
  assign,
  cardsWith,
  cycling,
  each,
  type Fields,
  feeRules,
  inTurn,
  type Kind,
  kinds,
  named,
  naming,
  placesOf,
  type Variant,
  without,
} from './variant.ts';

/* Records with any of their optional fields, and with any value that the contract allows (contract 2). */

const nodes = loadContract().operations.flatMap(nodesOf);

/** Fields of the objects of a kind, each once. */
const fieldsOf = (kind: Kind): Node[] => {
  const holders = placesOf[kind].map((place) => (place ? `/${place}` : ''));
  const own = nodes.filter(({ pointer, name }) => holders.includes(pointer.slice(0, -name.length - 1)));
  return own.filter(({ name }, place) => own.findIndex((one) => one.name === name) === place);
};

/** The optional fields of each kind, as examples of the contract have them: those that hold others, and the rest. */
const optional: [Kind, Fields][] = kinds
  .filter((kind) => kind !== 'envelope')
  .flatMap((kind) => {
    const own = fieldsOf(kind).filter(({ required, kind: what }) => !required && what === 'field');
    return [true, false].map((holdOthers): [Kind, Fields] => {
      const some = own.filter(({ schema }) => Boolean(schema.properties) === holdOthers);
      return [kind, Object.fromEntries(some.map((node) => [node.name, exampleOf(node)]))];
    });
  })
  .filter(([, fields]) => Object.keys(fields).length > 0);

/** Every optional field is there. */
const all = (): Alter => inTurn(...optional.map(([kind, fields]) => assign(kind, fields)), naming('u'));

const withoutCard = ['listCustomers/data/customers/*', 'getCustomer/data/customer'].map(
  (record) => `${record}/default_payment_token/credit_card/present-with-card-token`,
);

/** Of the optional fields of a record, all are left out; or all but one, each time another. */
const leavingOut = ([kind, fields]: [Kind, Fields]): Variant[] => {
  const names = Object.keys(fields);
  // A token for a card needs the card.
  const whole = () => inTurn(all(), assign('token', { token_type: 'AlipayAutoDebit' }));
  const allButOne = each(kind, (record, index) => {
    for (const name of names) if (name !== names[index % names.length]) delete record[name];
  });
  const none = {
    name: `no ${kind} with ${names.join(', ')}`,
    alter: inTurn(whole(), without(kind, ...names)),
  };
  const one = { name: `a ${kind} with only one of ${names.join(', ')}`, alter: inTurn(whole(), allButOne) };
  return names.length > 1 ? [none, one] : [none];
};

const withoutMessage: Alter = altering('listCustomers', set('message', undefined));

/** Fields that may be left out, there and not there. */
const presence: Variant[] = [
  ...optional.flatMap(leavingOut),
  ...named('alter', {
    'every optional field present': all(),
    'every optional field absent': inTurn(
      ...optional.map(([kind, fields]) => without(kind, ...Object.keys(fields))),
    ),
    'a list without a message': withoutMessage,
    'a list with a message': assign('envelope', { message: 'ok' }),
    'a credit card without fields': assign('token', { credit_card: {} }),
    'a credit card behind a token of another type': inTurn(
      all(),
      cycling('token', 'token_type', ['WechatPayAutoDebit', 'AlipayAutoDebit']),
    ),
    'no token that is the default one': assign('token', { default: false }),
    'only tokens that are the default one': assign('token', { default: true }),
  }),
  {
    name: 'a token of type CreditCard without credit_card',
    deviates: withoutCard,
    alter: inTurn(assign('token', { token_type: 'CreditCard' }), without('token', 'credit_card')),
  },
];

const amounts = [
  ...['0', '0.0', '0.00', '100', '007.50', '-0', '-12.5', '00', `${'9'.repeat(400)}.5`],
  ...['1234567890123456789012345678901234567890', '0.123456789012345678901234567890'],
];

const timestamps = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 12].map((n) => `2024-03-31T01:59:59.${'123456789012'.slice(0, n)}Z`),
  ...['2024-01-01T00:00:00.0Z', '2024-02-29T12:00:00.000Z', '2000-02-29T12:00:00.5Z'],
  ...['2016-12-31T23:59:60.000Z', '2016-12-31T23:59:60.999+00:00', '2024-12-31T23:59:59.999999999+00:00'],
  ...['1969-12-31T23:59:59.9Z', '0001-01-01T00:00:00.0Z', '9999-12-31T23:59:59.999Z'],
];

const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ...'123456789abcdef'.split('').map((version) => `7c0f3a52-5d0e-${version}a43-${version}d5b-0a6f2f1f9c11`),
];
const written = [...uuids, ...uuids.map((id) => id.toUpperCase()), '7C0f3a52-5d0E-4A43-9d5b-0a6F2f1f9c11'];

/** Words in alphabets and forms that a name may well have. */
const texts = [
  ...['', ' ', 'null', '%00%ff', 'a\u0000b', '\u202eevil\u202c'],
  ...['\ufeff\u2028\u2029\u0085', '\ufffe\uffff\u007f'],
  ...['مرحبا بالعالم', 'e\u0301\u0323\u{1d173}', '👩‍👩‍👧‍👦🏳️‍🌈', '漢'.repeat(3000), '\ud800', '\udc00\ud800'],
  ...['"\\/\b\f\n\r\t', '<script>alert(1)</script>', "'; DROP TABLE cards; --", '{"code":500}'],
];

/** What a rule says of a field, no value of ours may be. */
const ruled = loadContract()
  .operations.flatMap(({ rules }) => rules)
  .flatMap(({ check }) => ('echoes' in check ? check.pointer : 'unique' in check ? check.unique : []));

const restricting = ['enum', 'format', 'pattern', 'x-values-that-occur'] as const;

/** Fields in which any text may stand. */
export const free = kinds.flatMap((kind) =>
  fieldsOf(kind)
    .filter(({ schema }) => schema.type === 'string' && restricting.every((keyword) => !schema[keyword]))
    .filter(({ pointer }) => !ruled.includes(pointer))
    .map(({ name, schema }) => ({ kind, name, schema })),
);

const isPublic = ({ schema }: Pick<Node, 'schema'>) =>
  schema['x-data-classification']?.sensitivity === 'public';

const same = (value: string) => inTurn(...free.map(({ kind, name }) => assign(kind, { [name]: value })));

/** The next text in each record; what is known by a number has the same in each answer. */
const spread = (kind: Kind, name: string) =>
  each(kind, (record, index) => {
    const number = typeof record.uuid === 'string' ? Number.parseInt(record.uuid.slice(-2), 16) : index;
    record[name] = texts[number % texts.length];
  });

const limits = [...amounts, ...Array.from({ length: 500 }, (_, index) => `${index}.00`)].map((amount) => ({
  ...cards[0]?.limits[0],
  ...{ limit_amount: amount, used_amount: amount },
}));

/** Cards with each value that the contract lists for a field. */
const listed = Object.entries(loadContract().components.Card?.properties ?? {}).flatMap(([name, schema]) =>
  schema.enum ? [{ name: `each ${name} of a card`, ...cardsWith(name, schema.enum) }] : [],
);

const cardForms: Partial<Record<keyof Card, string[]>> = {
  p_created_at: timestamps,
  expiration_date: ['01/00', '12/99', '02/20', '10/38', '09/01', '12/25'],
  reference_id: written,
  first_6_digits: ['000000', '000001', '999999'],
  last_4_digits: ['0000', '0001', '9999'],
  title: texts,
};

const publicWords = ['EXPIRED', 'Blocked by issuer', 'single-use', '7', ''];
const countryCodes = ['+1', '+1-242', '+44', '+1 684', '+998', '+0', '+1242'];

/** Values that the contract allows by listing none, or by a form with more in it than one thinks. */
const values: Variant[] = [
  ...listed,
  ...Object.entries(cardForms).map(([field, forms]) => ({
    name: `every form of ${field}`,
    ...cardsWith(field, forms),
  })),
  ...free.filter(isPublic).map(({ kind, name }) => ({
    name: `new values of ${name} of a ${kind}`,
    alter: cycling(kind, name, publicWords),
  })),
  ...named('alter', {
    'decimal amounts of every form, in 500 limits of one period': assign('card', { limits }),
    'limit identifiers of every UUID version': assign('card', {
      limits: written.map((id, n) => ({ ...limits[n], id })),
    }),
    'more used than the limit allows': assign('limit', { limit_amount: '0', used_amount: '5.00' }),
    'a title of a million characters': assign('card', { title: 'x'.repeat(1_000_000) }),
    'fees of every form': feeRules(amounts.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }))),
    'country codes of every form': cycling('customer', 'dial_code', countryCodes),
    'empty strings wherever text is free': same(''),
    'blanks wherever text is free': same(' \t '),
    'very long strings wherever text is free': same('long '.repeat(400)),
    'unusual characters wherever text is free': inTurn(...free.map(({ kind, name }) => spread(kind, name))),
  }),
];

export const records: Variant[] = [...presence, ...values];
