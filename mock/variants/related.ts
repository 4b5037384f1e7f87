import { defaultChoices } from '../choices.ts';
import { altering, dataOf, has } from '../edits.ts';
import { operations } from '../operations.ts';
import type { Alter } from '../server.ts';
import { differingIn, each, type Fields, inTurn, listing, type Variant } from './variant.ts';

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
export const related: Variant[] = [
  ...differingIn('customers', [
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
  ]),
  ...differingIn('fee rules', [
    withoutIdentifiers('business'),
    withoutIdentifiers('user'),
    { name: 'the user of a rule in capitals', alter: inCapitals('user_id') },
    {
      name: 'the user of a rule in capitals, as p_user_id',
      alter: inCapitals('p_user_id'),
      deviates: ['getFeeRules/data/fee_rules/*/user_id'],
    },
  ]),
  ...differingIn('card', [
    {
      name: 'a card reference in capitals every second time',
      alter: eachTime((card, ordinal) => (ordinal % 2 ? capitals('reference_id')(card) : card)),
    },
    {
      name: 'one time of creation, written otherwise each time',
      alter: eachTime((card, ordinal) => ({ ...card, p_created_at: noon[ordinal % noon.length] })),
    },
  ]),
];
