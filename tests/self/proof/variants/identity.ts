import { success } from '../../../../mock/answers.ts';
import { defaultChoices } from '../../../../mock/choices.ts';
import { operations } from '../../../../mock/operations.ts';
import { feeRule, uuid } from '../../../../mock/records.ts';
import { customers } from '../../../../mock/seed.ts';
import type { Alter } from '../../../../mock/server.ts';
import { altering, type Change, dataOf, has, set, text } from '../../harness/edits.ts';
import {
  anyCard,
  assign,
  cycling,
  each,
  everywhere,
  type Fields,
  feeRules,
  found,
  inTurn,
  listing,
  named,
  userRenamed,
  type Variant,
} from './variant.ts';

/* Identifiers in every form, records that agree though they are not written alike, and names that have been observed. */

const cardIds = [1, 2, 3].map((ordinal) => uuid('other card', ordinal));
const cardIdsInCapitals = cardIds.map((id) => id.toUpperCase());
const nil = '00000000-0000-0000-0000-000000000000';

/** Cards that are requested under one form of an identifier and named in another. */
const cardsNamed = (name: string, ids: string[], edit: (id: string) => string): Variant => ({
  name,
  alter: anyCard(ids, (_, id) => ({ id: edit(id) })),
  settings: { identifiers: { CARD_IDS: ids } },
});

/** Customers that are listed and found under identifiers of another form. */
const customersNamed = (name: string, uuidOf: (index: number) => string): Variant => {
  const names = new Map(customers.map(({ customer }, index) => [customer.uuid, uuidOf(index)]));
  const renamed = (customer: Fields): Fields => ({ ...customer, uuid: names.get(String(customer.uuid)) });
  return {
    name: `customers named ${name}`,
    alter: inTurn(
      found(customers.map(({ customer }) => renamed({ ...customer }))),
      listing((usual) => usual.map(renamed)),
    ),
    settings: { identifiers: { CUSTOMER_IDS: [uuidOf(0), uuidOf(1)].filter((id) => /^[\w-]+$/.test(id)) } },
  };
};

const toEncode = ['a b', 'a/b?c=d&e', '#1', '100%', '%2F', 'a+b', 'ü🙂', 'a\\b', ';a,b', `"'`, '$(id)'];
const userIds = ['7', 'user@example.com', 'a b&type=business', 'ü/🙂', '+1', '%41'];

/** Users whose rules are found under any identifier. */
const anyUser: Alter = (answer, { operation, parameters: { user_id } }) =>
  operation === 'getFeeRules' && user_id ? success({ fee_rules: [feeRule({ user_id })] }) : answer;

const customerInCapitals: Change = (answer, request) =>
  set('data/customer/uuid', request.parameters.id?.toUpperCase())(answer, request);

/** Identifiers in every form that the contract leaves open (contract 2.2, 2.4, 2.7). */
const identifiers: Variant[] = [
  cardsNamed('a card requested in lower case and named in capitals', cardIds, (id) => id.toUpperCase()),
  cardsNamed('a card requested in capitals and named in lower case', cardIdsInCapitals, (id) =>
    id.toLowerCase(),
  ),
  cardsNamed('cards requested and named in capitals', cardIdsInCapitals, String),
  cardsNamed('the nil UUID as a card', [nil], String),
  customersNamed('by numbers', (index) => String(1000 + index)),
  customersNamed('by words', (index) => `cus_${index}`),
  customersNamed('by UUIDs in capitals', (index) => uuid('other customer', index).toUpperCase()),
  customersNamed('by what needs encoding', (index) => `${toEncode[index % toEncode.length]}${index}`),
  customersNamed('by long words', (index) => `${'x'.repeat(1000)}${index}`),
  customersNamed('by dots', (index) => '.'.repeat(index)),
  customersNamed('by lone surrogates', (index) => `\ud800${index}`),
  {
    name: 'users whose identifiers are no UUIDs',
    alter: anyUser,
    settings: { identifiers: { USER_IDS: userIds } },
  },
  ...named('alter', {
    'customers requested in lower case and named in capitals': altering('getCustomer', customerInCapitals),
    'rules of the business that name a user': altering(
      'getFeeRules',
      set('data/fee_rules/0/user_id', 'u-9'),
      has('type', 'business'),
    ),
  }),
];

const upper = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value);
const capitals = (field: string) => (record: Fields) => ({ ...record, [field]: upper(record[field]) });

/** Finds a customer whether its `uuid` is in capitals or not. */
const inAnyCase: Alter = (answer, { operation, parameters: { id = '' } }) => {
  const route = operations.find((one) => one.operation === 'getCustomer');
  if (operation !== 'getCustomer' || !route) return answer;
  return structuredClone(route.answer({ id: id.toLowerCase() }, defaultChoices));
};
/** Some requests for the list are answered in capitals. */
const listedInCapitals = (isMeant: (ordinal: number) => boolean): Alter =>
  inTurn(
    listing((usual, { ordinal }) => (isMeant(ordinal) ? usual.map(capitals('uuid')) : usual)),
    inAnyCase,
  );

const withoutIdentifiers = altering('getFeeRules', (answer) => {
  for (const rule of dataOf<{ fee_rules: Fields[] }>(answer).fee_rules) {
    delete rule.user_id;
    delete rule.business_id;
  }
  return answer;
});

const inCapitals = (field: string) =>
  each('feeRule', (rule) => {
    if (Object.hasOwn(rule, 'user_id')) rule[field] = upper(rule.user_id);
    if (field !== 'user_id') delete rule.user_id;
  });

const noon = ['0Z', '000Z', '0+00:00', '00+00:00'].map((end) => `2024-03-31T12:00:00.5${end}`);

/** Answers that agree with each other, though they are not written alike (contract 2.2, 2.4, 2.7). */
const related = named('alter', {
  'customers listed in capitals and looked up in lower case': listedInCapitals(() => true),
  'customers in capitals on every second page': listedInCapitals((ordinal) => ordinal % 2 === 0),
  'rules without identifiers': withoutIdentifiers,
  'the user of a rule in capitals': inCapitals('user_id'),
  // By cards, of which three are asked for: what is sent for one differs between the first request and the second.
  'a card reference in capitals every second time': each('card', (card, index) => {
    if (index % 2) card.reference_id = upper(card.reference_id);
  }),
  'one time of creation, written otherwise each time': cycling('card', 'p_created_at', noon),
});

const ruleNode = 'getFeeRules/data/fee_rules/*';
const [fixed, percentage, user] = ['fixed_fee', 'percentage_fee', 'user_id'].map(
  (name) => `${ruleNode}/${name}`,
);
const numbers = [0, 1, 2.9, -1, 1e21, 1e-7, 123456789012345];
const fees = numbers.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }));
const unquoted = everywhere(text((json) => json.replace(/("\w+_fee"):"([^"]*)"/g, '$1:$2')));
const renamedWithFees = inTurn(userRenamed, assign('feeRule', { fixed_fee: 1, percentage_fee: 0 }));

type Row = [name: string, alter: Alter, ...deviates: (string | undefined)[]];
const rows: Row[] = [
  ['fees as JSON numbers of every form', feeRules(fees), fixed, percentage],
  ['fees as JSON numbers with zeros behind the point', unquoted, fixed, percentage],
  ['only the fixed fee as a JSON number', assign('feeRule', { fixed_fee: 0.3 }), fixed],
  [
    'only some percentage fees as JSON numbers',
    cycling('feeRule', 'percentage_fee', [1.5, '1.5']),
    percentage,
  ],
  ['the user as p_user_id', userRenamed, user],
  ['the user of a rule in capitals, as p_user_id', inCapitals('p_user_id'), user],
  ['the user as p_user_id, and fees as JSON numbers', renamedWithFees, fixed, percentage, user],
  [
    'limits for periods that are not known to occur',
    cycling('limit', 'period', ['Weekly', 'lifetime', '']),
    'getCard/data/card/limits/*/period/values-that-occur',
  ],
];

/** Conforming but for what the contract reports to have been observed (contract 2.3 and 2.7). */
const observed: Variant[] = rows.map(([name, alter, ...deviates]) => ({
  name,
  alter,
  deviates: deviates.flatMap((address) => address ?? []),
}));

/** How records are named, and what they have in common with others. */
export const identity: Variant[] = [...identifiers, ...related, ...observed];
