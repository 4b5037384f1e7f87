import { type Card, type Customer, type FeeRule, uuid } from '../../../../mock/records.ts';
import { customers, feeRules, identifiers } from '../../../../mock/seed.ts';
import { altering, type Change, type Condition, dataOf, has, offsetFrom } from '../../harness/edits.ts';
import { giveNewShape } from '../placement.ts';
import { inTurn } from '../variants/variant.ts';
import { type Fault, fault } from './fault.ts';

const cardFault = (
  name: string,
  fieldsAt: (ordinal: number, card: Card) => Partial<Card>,
  when?: Condition,
): Fault =>
  fault(
    name,
    'getCard/rules/card-is-constant',
    (answer, { ordinal }) => {
      const { card } = dataOf<{ card: Card }>(answer);
      Object.assign(card, fieldsAt(ordinal, card));
      return answer;
    },
    when,
  );

const digits = (number: number, length: number) => String(number % 10 ** length).padStart(length, '0');
const [, secondCard] = identifiers.CARD_IDS;

/** What is not to change differs with each request. */
const changingCards: Fault[] = [
  cardFault('the time of creation moves', (ordinal) => ({
    p_created_at: `2024-01-01T00:00:00.${digits(ordinal, 3)}Z`,
  })),
  cardFault('another reference each time', (ordinal) => ({ reference_id: uuid('reference', ordinal) })),
  cardFault('other last digits each time', (ordinal) => ({ last_4_digits: digits(ordinal, 4) })),
  cardFault('other first digits each time', (ordinal) => ({ first_6_digits: digits(ordinal, 6) })),
  cardFault(
    'another reference each time, only of the second card',
    (ordinal) => ({ reference_id: uuid('reference', ordinal) }),
    has('id', secondCard),
  ),
  cardFault('other last digits each time, only of an active card', (ordinal, { physical_status }) =>
    physical_status === 'Active' ? { last_4_digits: digits(ordinal, 4) } : {},
  ),
];

interface NamedRule extends FeeRule {
  p_user_id?: string;
}

const ruleFault = (name: string, edit: (rule: NamedRule, index: number) => void, when?: Condition): Fault =>
  fault(
    name,
    'getFeeRules/rules/user-is-requested',
    (answer) => {
      for (const [index, rule] of dataOf<{ fee_rules: NamedRule[] }>(answer).fee_rules.entries())
        edit(rule, index);
      return answer;
    },
    when,
  );

const [firstUser = '', secondUser = '', thirdUser] = identifiers.USER_IDS;
const other = uuid('user', 99);
const nameAnother = (rule: NamedRule) => {
  if (rule.user_id !== undefined) rule.user_id = other;
};

/** A user is shown the fees of another. */
const rulesOfAnother: Fault[] = [
  ruleFault('rules of another user', nameAnother),
  ruleFault('rules of another user, only for the second', nameAnother, has('user_id', secondUser)),
  ruleFault('rules of another user, only the second rule', (rule, index) => {
    if (index === 1) nameAnother(rule);
  }),
  ruleFault('rules of another user, only without a business', (rule) => {
    if (rule.business_id === undefined) nameAnother(rule);
  }),
  ruleFault('the user without the last letter', (rule) => {
    if (rule.user_id !== undefined) rule.user_id = rule.user_id.slice(0, -1);
  }),
  fault(
    "the first user's rules for the third",
    'getFeeRules/rules/user-is-requested',
    (answer) => {
      Object.assign(dataOf<object>(answer), { fee_rules: structuredClone(feeRules.users.get(firstUser)) });
      return answer;
    },
    has('user_id', thirdUser),
  ),
  ruleFault('another user as p_user_id, beside the right one', (rule) => {
    if (rule.user_id !== undefined) rule.p_user_id = other;
  }),
  {
    ...ruleFault('another user as p_user_id, only for the second', renameAnother, has('user_id', secondUser)),
    deviates: ['getFeeRules/data/fee_rules/*/user_id'],
  },
];

function renameAnother(rule: NamedRule): void {
  delete rule.user_id;
  rule.p_user_id = other;
}

type Which = (customer: Customer) => boolean;

/** Takes the credit card from tokens that have one; tolerated where what was observed is. */
const withoutCard = (
  operation: 'listCustomers' | 'getCustomer',
  name: string,
  which: Which,
  when?: Condition,
): Fault => {
  const record = operation === 'listCustomers' ? 'customers/*' : 'customer';
  const change: Change = (answer) => {
    const data = dataOf<{ customers?: Customer[]; customer?: Customer }>(answer);
    for (const customer of (data.customers ?? [data.customer]).flatMap((one) => one ?? []).filter(which))
      delete customer.default_payment_token?.credit_card;
    return answer;
  };
  return {
    name: `${operation}: a token for a card without the card, ${name}`,
    breaks: `${operation}/data/${record}/default_payment_token/credit_card/present-with-card-token`,
    alter: altering(operation, change, when),
    observed: 'deviation',
  };
};

const inState =
  (state: string): Which =>
  ({ default_payment_token: token }) =>
    token?.state === state;

/** Behind it are others, one of them of a shape that no list has had. */
const firstWithoutCard = withoutCard(
  'listCustomers',
  'only of the first customer',
  ({ uuid }) => uuid === customers[0]?.customer.uuid,
);
const newShape = altering('listCustomers', (answer) => {
  giveNewShape(dataOf<{ customers: Customer[] }>(answer).customers.slice(1));
  return answer;
});

const missingCards: Fault[] = [
  withoutCard('listCustomers', 'of every customer', () => true),
  withoutCard('listCustomers', 'only of a failed binding', inState('Failed')),
  { ...firstWithoutCard, alter: inTurn(firstWithoutCard.alter, newShape) },
  withoutCard('listCustomers', 'only on later pages', inState('Active'), offsetFrom(20)),
  withoutCard(
    'listCustomers',
    'only of those linked to a store',
    inState('Active'),
    has('linked_source_type', 'Store'),
  ),
  withoutCard('getCustomer', 'of every customer', () => true),
  withoutCard('getCustomer', 'only of a failed binding', inState('Failed')),
  withoutCard('getCustomer', 'only of a customer without a phone', ({ phone }) => phone === undefined),
];

/** Breaches between a user and a rule, a token and its card: one answer shows them. */
export const relatedFields: Fault[] = [...rulesOfAnother, ...missingCards];

/** Breaches between a card and itself. */
export const repeatedAnswers: Fault[] = changingCards;
