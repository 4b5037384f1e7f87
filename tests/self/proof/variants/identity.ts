import { success } from '../../../../mock/answers.ts';
import { defaultChoices } from '../../../../mock/choices.ts';
import { operations } from '../../../../mock/operations.ts';
import { feeRule, uuid } from '../../../../mock/records.ts';
import { customers } from '../../../../mock/seed.ts';
import type { Alter } from '../../../../mock/server.ts';
import { altering, dataOf, has, set, text } from '../../harness/edits.ts';
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
  userRenamed,
  type Variant,
} from './variant.ts';

/* Identifiers in every form, records that agree though they are not written alike, and names that have been observed. */

const cardIds = [1, 2, 3].map((ordinal) => uuid('other card', ordinal));
const cardIdsInCapitals = cardIds.map((id) => id.toUpperCase());
const others = (edit: (id: string) => string): Alter => anyCard(cardIds, (_, id) => ({ id: edit(id) }));

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

const toEncode = [
  'a b',
  'a/b',
  'a?b=c&d',
  '#1',
  '100%',
  '%2F',
  'a+b',
  'ü',
  '🙂',
  'a\\b',
  ';a,b',
  '"',
  "'",
  '$(id)',
];

/** Users whose rules are found under any identifier. */
const anyUser: Alter = (answer, { operation, parameters: { user_id } }) =>
  operation === 'getFeeRules' && user_id ? success({ fee_rules: [feeRule({ user_id })] }) : answer;

/** Identifiers in every form that the contract leaves open (contract 2.2, 2.4, 2.7). */
const identifiers: Variant[] = [
  {
    name: 'a card requested in lower case and named in capitals',
    alter: others((id) => id.toUpperCase()),
    settings: { identifiers: { CARD_IDS: cardIds } },
  },
  {
    name: 'a card requested in capitals and named in lower case',
    alter: others((id) => id.toLowerCase()),
    settings: { identifiers: { CARD_IDS: cardIdsInCapitals } },
  },
  {
    name: 'cards requested and named in capitals',
    alter: others(String),
    settings: { identifiers: { CARD_IDS: cardIdsInCapitals } },
  },
  {
    name: 'the nil UUID as a card',
    alter: others(String),
    settings: { identifiers: { CARD_IDS: ['00000000-0000-0000-0000-000000000000'] } },
  },
  {
    name: 'customers requested in lower case and named in capitals',
    alter: altering('getCustomer', (answer, request) =>
      set('data/customer/uuid', request.parameters.id?.toUpperCase())(answer, request),
    ),
  },
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
    settings: {
      identifiers: { USER_IDS: ['7', 'user@example.com', 'a b&type=business', 'ü/🙂', '+1', '%41'] },
    },
  },
  {
    name: 'rules of the business that name a user',
    alter: altering(
      'getFeeRules',
      (answer, request) => set('data/fee_rules/0/user_id', 'u-9')(answer, request),
      has('type', 'business'),
    ),
  },
];

const upper = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value);
const capitals = (field: string) => (record: Fields) => ({ ...record, [field]: upper(record[field]) });

/** Finds a customer whether its `uuid` is in capitals or not. */
const inAnyCase: Alter = (answer, { operation, parameters: { id = '' } }) => {
  const route = operations.find((one) => one.operation === 'getCustomer');
  if (operation !== 'getCustomer' || !route) return answer;
  return structuredClone(route.answer({ id: id.toLowerCase() }, defaultChoices));
};

const withoutIdentifiers = (type: 'business' | 'user'): Variant => ({
  name: `rules without identifiers for a ${type}`,
  alter: altering(
    'getFeeRules',
    (answer) => {
      const data = dataOf<{ fee_rules: Fields[] }>(answer);
      data.fee_rules = data.fee_rules.map(({ user_id: _, business_id: __, ...rule }) => rule);
      return answer;
    },
    has('type', type),
  ),
});

const inCapitals = (field: string) =>
  each('feeRule', (rule) => {
    if (Object.hasOwn(rule, 'user_id')) rule[field] = upper(rule.user_id);
    if (field !== 'user_id') delete rule.user_id;
  });

const eachTime = (cardAt: (card: Fields, ordinal: number) => Fields): Alter =>
  altering('getCard', (answer, { ordinal }) => {
    const data = dataOf<{ card: Fields }>(answer);
    data.card = cardAt(data.card, ordinal);
    return answer;
  });

const noon = ['0Z', '000Z', '0+00:00', '00+00:00'].map((end) => `2024-03-31T12:00:00.5${end}`);

/** Answers that agree with each other, though they are not written alike (contract 2.2, 2.4, 2.7). */
const related: Variant[] = [
  {
    name: 'customers listed in capitals and looked up in lower case',
    alter: inTurn(
      listing((usual) => usual.map(capitals('uuid'))),
      inAnyCase,
    ),
  },
  {
    name: 'customers in capitals on every second page',
    alter: inTurn(
      listing((usual, { ordinal }) => (ordinal % 2 ? usual : usual.map(capitals('uuid')))),
      inAnyCase,
    ),
  },
  withoutIdentifiers('business'),
  withoutIdentifiers('user'),
  { name: 'the user of a rule in capitals', alter: inCapitals('user_id') },
  {
    name: 'the user of a rule in capitals, as p_user_id',
    alter: inCapitals('p_user_id'),
    deviates: ['getFeeRules/data/fee_rules/*/user_id'],
  },
  {
    name: 'a card reference in capitals every second time',
    alter: eachTime((card, ordinal) => (ordinal % 2 ? capitals('reference_id')(card) : card)),
  },
  {
    name: 'one time of creation, written otherwise each time',
    alter: eachTime((card, ordinal) => ({ ...card, p_created_at: noon[ordinal % noon.length] })),
  },
];

const ruleNode = 'getFeeRules/data/fee_rules/*';
const fees = (...numbers: number[]) => numbers.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }));

/** Conforming but for what the contract reports to have been observed (contract 2.3 and 2.7). */
const observed: Variant[] = [
  {
    name: 'fees as JSON numbers of every form',
    alter: feeRules(fees(0, 1, 2.9, -1, 1e21, 1e-7, 123456789012345)),
    deviates: [`${ruleNode}/fixed_fee`, `${ruleNode}/percentage_fee`],
  },
  {
    name: 'fees as JSON numbers with zeros behind the point',
    alter: everywhere(text((json) => json.replace(/("\w+_fee"):"([^"]*)"/g, '$1:$2'))),
    deviates: [`${ruleNode}/fixed_fee`, `${ruleNode}/percentage_fee`],
  },
  {
    name: 'only the fixed fee as a JSON number',
    alter: assign('feeRule', { fixed_fee: 0.3 }),
    deviates: [`${ruleNode}/fixed_fee`],
  },
  {
    name: 'only some percentage fees as JSON numbers',
    alter: cycling('feeRule', 'percentage_fee', [1.5, '1.5']),
    deviates: [`${ruleNode}/percentage_fee`],
  },
  { name: 'the user as p_user_id', alter: userRenamed, deviates: [`${ruleNode}/user_id`] },
  {
    name: 'the user as p_user_id, and fees as JSON numbers',
    alter: inTurn(userRenamed, assign('feeRule', { fixed_fee: 1, percentage_fee: 0 })),
    deviates: [`${ruleNode}/fixed_fee`, `${ruleNode}/percentage_fee`, `${ruleNode}/user_id`],
  },
  {
    name: 'limits for periods that are not known to occur',
    alter: cycling('limit', 'period', ['Weekly', 'lifetime', '']),
    deviates: ['getCard/data/card/limits/*/period/values-that-occur'],
  },
];

/** How records are named, and what they have in common with others. */
export const identity: Variant[] = [...identifiers, ...related, ...observed];
