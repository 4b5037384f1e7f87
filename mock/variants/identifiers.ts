import { success } from '../answers.ts';
import { altering, has, set } from '../edits.ts';
import { uuid } from '../records.ts';
import { customers } from '../seed.ts';
import type { Alter } from '../server.ts';
import { anyCard, differingIn, type Fields, found, inTurn, listing, type Variant } from './variant.ts';

const cardIds = [1, 2, 3].map((ordinal) => uuid('other card', ordinal));
const capitals = cardIds.map((id) => id.toUpperCase());
const others = (edit: (id: string) => string): Alter => anyCard(cardIds, (_, id) => ({ id: edit(id) }));

/** Customers that are listed and found under identifiers of another form. */
const customersNamed = (name: string, uuidOf: (index: number) => string): Variant => {
  const names = new Map(customers.map(({ customer }, index) => [customer.uuid, uuidOf(index)]));
  const renamed = (customer: Fields): Fields => ({ ...customer, uuid: names.get(String(customer.uuid)) });
  return {
    name: `customers named ${name}`,
    aspect: 'customers',
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
  operation === 'getFeeRules' && user_id
    ? success({ fee_rules: [{ fixed_fee: '1', percentage_fee: '0', user_id }] })
    : answer;

/** Identifiers in every form that the contract leaves open (contract 2.2, 2.4, 2.7). */
export const identifiers: Variant[] = [
  ...differingIn('card', [
    {
      name: 'a card requested in lower case and named in capitals',
      alter: others((id) => id.toUpperCase()),
      settings: { identifiers: { CARD_IDS: cardIds } },
    },
    {
      name: 'a card requested in capitals and named in lower case',
      alter: others((id) => id.toLowerCase()),
      settings: { identifiers: { CARD_IDS: capitals } },
    },
    {
      name: 'cards requested and named in capitals',
      alter: others(String),
      settings: { identifiers: { CARD_IDS: capitals } },
    },
    {
      name: 'the nil UUID as a card',
      alter: others(String),
      settings: { identifiers: { CARD_IDS: ['00000000-0000-0000-0000-000000000000'] } },
    },
  ]),
  {
    name: 'customers requested in lower case and named in capitals',
    aspect: 'customers',
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
    aspect: 'fee rules',
    alter: anyUser,
    settings: {
      identifiers: { USER_IDS: ['7', 'user@example.com', 'a b&type=business', 'ü/🙂', '+1', '%41'] },
    },
  },
  {
    name: 'rules of the business that name a user',
    aspect: 'fee rules',
    alter: altering(
      'getFeeRules',
      (answer, request) => set('data/fee_rules/0/user_id', 'u-9')(answer, request),
      has('type', 'business'),
    ),
  },
];
