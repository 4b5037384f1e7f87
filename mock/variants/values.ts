import {
  aspectOf,
  assign,
  cardsWith,
  cycling,
  each,
  feeRules,
  inTurn,
  type Kind,
  type Variant,
} from './variant.ts';

const amounts = [
  '0',
  '0.0',
  '0.00',
  '100',
  '007.50',
  '-0',
  '-12.5',
  '00',
  '1234567890123456789012345678901234567890',
  '0.123456789012345678901234567890',
  '99999999999999999999.99',
  `${'9'.repeat(400)}.5`,
];

const timestamps = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 12].map((n) => `2024-03-31T01:59:59.${'123456789012'.slice(0, n)}Z`),
  '2024-01-01T00:00:00.0Z',
  '2024-02-29T12:00:00.000Z',
  '2000-02-29T12:00:00.5Z',
  '2016-12-31T23:59:60.000Z',
  '2016-12-31T23:59:60.999+00:00',
  '2024-12-31T23:59:59.999999999+00:00',
  '1969-12-31T23:59:59.9Z',
  '0001-01-01T00:00:00.0Z',
  '9999-12-31T23:59:59.999Z',
];

const dates = ['01/00', '12/99', '02/20', '10/38', '09/01', '12/25'];
const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ...'123456789abcdef'.split('').map((version) => `7c0f3a52-5d0e-${version}a43-${version}d5b-0a6f2f1f9c11`),
];
const written = [...uuids, ...uuids.map((id) => id.toUpperCase()), '7C0f3a52-5d0E-4A43-9d5b-0a6F2f1f9c11'];

/** Words in alphabets and forms that a name may well have. */
const texts = [
  '',
  ' ',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'مرحبا بالعالم',
  'e\u0301\u0323\u{1d173}',
  '\ud800',
  '\udc00\ud800',
  'a\u0000b',
  '\u202eevil\u202c',
  '\ufeff\u2028\u2029\u0085',
  '\ufffe\uffff\u007f',
  '"\\/\b\f\n\r\t',
  '<script>alert(1)</script>',
  "'; DROP TABLE cards; --",
  '{"code":500}',
  'null',
  '%00%ff',
  '漢'.repeat(3000),
];

const free: [Kind, string[]][] = [
  ['envelope', ['message']],
  ['card', ['title', 'type', 'status', 'settlement_currency']],
  ['customer', ['name', 'email', 'phone', 'default_payment_method', 'reference_number']],
  ['token', ['token', 'state', 'error_code', 'error_msg']],
  ['creditCard', ['number', 'exp_month', 'exp_year', 'holder_name', 'brand', 'billing_currency']],
  ['feeRule', ['business_id']],
];

const same = (value: string) =>
  inTurn(
    ...free.flatMap(([kind, names]) => assign(kind, Object.fromEntries(names.map((name) => [name, value])))),
  );

/** The next text in each record; a customer is known by the number, which stays the same in each answer. */
const spread = (kind: Kind, name: string) =>
  name === 'reference_number'
    ? each(kind, (record) => {
        record[name] = texts[Number.parseInt(String(record.uuid).slice(-2), 16) % texts.length];
      })
    : cycling(kind, name, texts);

const openValues: [Kind, string, string[]][] = [
  ['card', 'type', ['GIFT', 'single-use', 'x']],
  ['card', 'status', ['Blocked by issuer', '7', 'active']],
  ['card', 'settlement_currency', ['USDT', 'eur', '978']],
  ['token', 'state', ['EXPIRED', 'revoked', '0']],
  ['token', 'error_code', ['51', 'do-not-honour', '']],
  ['customer', 'default_payment_method', ['Crypto', 'creditcard', 'None']],
  ['envelope', 'message', ['', '成功', 'تم', 'Erfolg', 'error: none', 'OK\n']],
  ['customer', 'dial_code', ['+1', '+1-242', '+44', '+1 684', '+998', '+0', '+1242']],
];

const limits = [...amounts, ...Array.from({ length: 500 }, (_, index) => `${index}.00`)].map((amount) => ({
  period: 'Daily',
  limit_amount: amount,
  used_amount: amount,
}));

/** Values that the contract allows by listing none, or by a form with more in it than one thinks (contract 2). */
export const values: Variant[] = [
  {
    name: 'decimal amounts of every form, in 500 limits of one period',
    aspect: 'card',
    alter: assign('card', { limits }),
  },
  {
    name: 'fees of every form',
    aspect: 'fee rules',
    alter: feeRules(amounts.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }))),
  },
  { name: 'creation times of every form', ...cardsWith('p_created_at', timestamps) },
  { name: 'expiration dates far off and long past', ...cardsWith('expiration_date', dates) },
  { name: 'reference identifiers of every UUID version', ...cardsWith('reference_id', written) },
  {
    name: 'limit identifiers of every UUID version',
    aspect: 'card',
    alter: assign('card', {
      limits: limits.slice(0, written.length).map((limit, n) => ({ ...limit, id: written[n] })),
    }),
  },
  { name: 'digits that begin with zeros', ...cardsWith('first_6_digits', ['000000', '000001', '999999']) },
  { name: 'last digits that begin with zeros', ...cardsWith('last_4_digits', ['0000', '0001', '9999']) },
  {
    name: 'each state of the physical card',
    ...cardsWith('physical_status', ['Idle', 'Ordered', 'Active', 'Locked', 'Suspended', 'Terminated']),
  },
  {
    name: 'more used than the limit allows',
    aspect: 'card',
    alter: assign('limit', { limit_amount: '0', used_amount: '5.00' }),
  },
  ...openValues.map(([kind, field, some]) => ({
    name: `new values of ${field}: ${some.map((value) => JSON.stringify(value)).join(', ')}`,
    aspect: aspectOf[kind],
    alter: cycling(kind, field, some),
  })),
  { name: 'titles of unusual characters', ...cardsWith('title', texts) },
  { name: 'empty strings wherever text is free', alter: same('') },
  { name: 'blanks wherever text is free', alter: same(' \t ') },
  { name: 'very long strings wherever text is free', alter: same('long '.repeat(400)) },
  {
    name: 'a title of a million characters',
    aspect: 'card',
    alter: assign('card', { title: 'x'.repeat(1_000_000) }),
  },
  {
    name: 'unusual characters wherever text is free',
    alter: inTurn(...free.flatMap(([kind, names]) => names.map((name) => spread(kind, name)))),
  },
];
