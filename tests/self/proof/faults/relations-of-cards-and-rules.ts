import { type Card, type FeeRule, uuid } from '../../../../mock/records.ts';
import { customers, feeRules, identifiers } from '../../../../mock/seed.ts';
import { type Change, type Condition, dataOf, has, offsetFrom, set } from '../../harness/edits.ts';
import { giveNewShape } from '../placement.ts';
import { customersIn, editing, type Fault, fault, type Which } from './fault.ts';

type CardAt = (ordinal: number, card: Card) => Partial<Card>;

const digits = (number: number, length: number) => String(number % 10 ** length).padStart(length, '0');
const anotherReference: CardAt = (ordinal) => ({ reference_id: uuid('reference', ordinal) });
const otherDigits: CardAt = (ordinal) => ({ last_4_digits: digits(ordinal, 4) });
const ofActive: CardAt = (ordinal, card) =>
  card.physical_status === 'Active' ? otherDigits(ordinal, card) : {};
const otherTime: CardAt = (ordinal) => ({ p_created_at: `2024-01-01T00:00:00.${digits(ordinal, 3)}Z` });

/** What is not to change differs with each request. */
const changingCards: [name: string, cardAt: CardAt, when?: Condition][] = [
  ['the time of creation moves', otherTime],
  ['another reference each time', anotherReference],
  ['other last digits each time', otherDigits],
  ['other first digits each time', (ordinal) => ({ first_6_digits: digits(ordinal, 6) })],
  [
    'another reference each time, only of the second card',
    anotherReference,
    has('id', identifiers.CARD_IDS[1]),
  ],
  ['other last digits each time, only of an active card', ofActive],
];

/** Breaches between a card and itself. */
export const repeatedAnswers: Fault[] = changingCards.map(([name, cardAt, when]) => {
  const change: Change = (answer, { ordinal }) => {
    const { card } = dataOf<{ card: Card }>(answer);
    Object.assign(card, cardAt(ordinal, card));
    return answer;
  };
  return fault(name, 'getCard/rules/card-is-constant', change, when);
});

type NamedRule = FeeRule & { p_user_id?: string };
type Values = Partial<Record<keyof NamedRule, string | undefined>>;

const [firstUser = '', secondUser, thirdUser] = identifiers.USER_IDS;
const other = uuid('user', 99);

const inRules =
  (edit: (rule: NamedRule, index: number) => Values): Change =>
  (answer) => {
    const { fee_rules } = dataOf<{ fee_rules: NamedRule[] }>(answer);
    const own = fee_rules.filter(({ user_id }) => user_id !== undefined);
    for (const [index, rule] of own.entries()) Object.assign(rule, edit(rule, index));
    return answer;
  };
const ofAnother = inRules(() => ({ user_id: other }));
const renamed = inRules(() => ({ user_id: undefined, p_user_id: other }));

/** A user is shown the fees of another. */
const rulesOfAnother: [name: string, change: Change, when?: Condition][] = [
  ['rules of another user', ofAnother],
  ['rules of another user, only for the second', ofAnother, has('user_id', secondUser)],
  [
    'rules of another user, only the second rule',
    inRules(({ user_id }, index) => ({ user_id: index === 1 ? other : user_id })),
  ],
  [
    'rules of another user, only without a business',
    inRules(({ user_id, business_id }) => ({ user_id: business_id === undefined ? other : user_id })),
  ],
  ['the user without the last letter', inRules(({ user_id }) => ({ user_id: user_id?.slice(0, -1) }))],
  [
    "the first user's rules for the third",
    set('data/fee_rules', structuredClone(feeRules.users.get(firstUser))),
    has('user_id', thirdUser),
  ],
  ['another user as p_user_id, beside the right one', inRules(() => ({ p_user_id: other }))],
];
const user = 'getFeeRules/rules/user-is-requested';

const inState =
  (state: string): Which =>
  ({ default_payment_token: token }) =>
    token?.state === state;
const isAny: Which = () => true;
const isFirst: Which = ({ uuid }) => uuid === customers[0]?.customer.uuid;
const hasNoPhone: Which = ({ phone }) => phone === undefined;
const ofStores = has('linked_source_type', 'Store');

const missingCards: [operation: string, name: string, which: Which, when?: Condition][] = [
  ['listCustomers', 'of every customer', isAny],
  ['listCustomers', 'only of a failed binding', inState('Failed')],
  ['listCustomers', 'only of the first customer', isFirst],
  ['listCustomers', 'only on later pages', inState('Active'), offsetFrom(20)],
  ['listCustomers', 'only of those linked to a store', inState('Active'), ofStores],
  ['getCustomer', 'of every customer', isAny],
  ['getCustomer', 'only of a failed binding', inState('Failed')],
  ['getCustomer', 'only of a customer without a phone', hasNoPhone],
];

/** Takes the credit card from tokens that have one; tolerated where what was observed is. */
const withoutCards = missingCards.map(([operation, name, which, when]): Fault => {
  const record = operation === 'listCustomers' ? 'customers/*' : 'customer';
  const breaks = `${operation}/data/${record}/default_payment_token/credit_card/present-with-card-token`;
  const change: Change = (answer, request) => {
    // Behind the first customer are others, one of them of a shape that no list has had.
    if (which === isFirst) giveNewShape(customersIn(answer).slice(1));
    return editing(which, (customer) => delete customer.default_payment_token?.credit_card)(answer, request);
  };
  return {
    ...fault(`a token for a card without the card, ${name}`, breaks, change, when),
    observed: 'deviation',
  };
});

/** Breaches between a user and a rule, a token and its card: one answer shows them. */
export const relatedFields: Fault[] = [
  ...rulesOfAnother.map(([name, change, when]) => fault(name, user, change, when)),
  {
    ...fault('another user as p_user_id, only for the second', user, renamed, has('user_id', secondUser)),
    deviates: ['getFeeRules/data/fee_rules/*/user_id'],
  },
  ...withoutCards,
];
