import { type Card, type FeeRule, uuid } from '../../../../mock/records.ts';
import { customers, feeRules, identifiers } from '../../../../mock/seed.ts';
import { type Change, type Condition, hasParameter, readData, set, startsFrom } from '../../harness/edits.ts';
import { makeFieldSetUnique } from '../placement.ts';
import { type CustomerFilter, editCustomers, type Fault, fault, readCustomers } from './fault.ts';

type CardEdit = (ordinal: number, card: Card) => Partial<Card>;

const formatDigits = (number: number, length: number) => String(number % 10 ** length).padStart(length, '0');
const changeReference: CardEdit = (ordinal) => ({ reference_id: uuid('reference', ordinal) });
const changeLastDigits: CardEdit = (ordinal) => ({ last_4_digits: formatDigits(ordinal, 4) });
const changeActiveCard: CardEdit = (ordinal, card) =>
  card.physical_status === 'Active' ? changeLastDigits(ordinal, card) : {};
const changeTime: CardEdit = (ordinal) => ({
  p_created_at: `2024-01-01T00:00:00.${formatDigits(ordinal, 3)}Z`,
});

const changingCards: [name: string, cardAt: CardEdit, when?: Condition][] = [
  ['the time of creation moves', changeTime],
  ['another reference each time', changeReference],
  ['other last digits each time', changeLastDigits],
  ['other first digits each time', (ordinal) => ({ first_6_digits: formatDigits(ordinal, 6) })],
  [
    'another reference each time, only of the second card',
    changeReference,
    hasParameter('id', identifiers.CARD_IDS[1]),
  ],
  ['other last digits each time, only of an active card', changeActiveCard],
];

export const changingCardFaults: Fault[] = changingCards.map(([name, editCard, when]) => {
  const change: Change = (response, { ordinal }) => {
    const { card } = readData<{ card: Card }>(response);
    Object.assign(card, editCard(ordinal, card));
    return response;
  };
  return fault(name, 'getCard/rules/card-is-constant', change, when);
});

type NamedRule = FeeRule & { p_user_id?: string };
type Values = Partial<Record<keyof NamedRule, string | undefined>>;

const [firstUser = '', secondUser, thirdUser] = identifiers.USER_IDS;
const otherUser = uuid('user', 99);

const editRules =
  (edit: (rule: NamedRule, index: number) => Values): Change =>
  (response) => {
    const { fee_rules } = readData<{ fee_rules: NamedRule[] }>(response);
    const userRules = fee_rules.filter(({ user_id }) => user_id !== undefined);
    for (const [index, rule] of userRules.entries()) Object.assign(rule, edit(rule, index));
    return response;
  };
const nameOtherUser = editRules(() => ({ user_id: otherUser }));
const renameToOtherUser = editRules(() => ({ user_id: undefined, p_user_id: otherUser }));

const ruleRows: [name: string, change: Change, when?: Condition][] = [
  ['rules of another user, only for the second', nameOtherUser, hasParameter('user_id', secondUser)],
  [
    'rules of another user, only the second rule',
    editRules(({ user_id }, index) => ({ user_id: index === 1 ? otherUser : user_id })),
  ],
  [
    'rules of another user, only without a business',
    editRules(({ user_id, business_id }) => ({ user_id: business_id === undefined ? otherUser : user_id })),
  ],
  ['the user without the last letter', editRules(({ user_id }) => ({ user_id: user_id?.slice(0, -1) }))],
  [
    "the first user's rules for the third",
    set('data/fee_rules', structuredClone(feeRules.users.get(firstUser))),
    hasParameter('user_id', thirdUser),
  ],
  ['another user as p_user_id, beside the right one', editRules(() => ({ p_user_id: otherUser }))],
];
const userRule = 'getFeeRules/rules/user-is-requested';

const isInState =
  (state: string): CustomerFilter =>
  ({ default_payment_token: token }) =>
    token?.state === state;
const isAny: CustomerFilter = () => true;
const isFirst: CustomerFilter = ({ uuid }) => uuid === customers[0]?.customer.uuid;
const hasNoPhone: CustomerFilter = ({ phone }) => phone === undefined;
const isLinkedToStore = hasParameter('linked_source_type', 'Store');

const missingCardRows: [operation: string, name: string, which: CustomerFilter, when?: Condition][] = [
  ['listCustomers', 'of every customer', isAny],
  ['listCustomers', 'only of a failed binding', isInState('Failed')],
  ['listCustomers', 'only of the first customer', isFirst],
  ['listCustomers', 'only on later pages', isInState('Active'), startsFrom(20)],
  ['listCustomers', 'only of those linked to a store', isInState('Active'), isLinkedToStore],
  ['getCustomer', 'of every customer', isAny],
  ['getCustomer', 'only of a failed binding', isInState('Failed')],
  ['getCustomer', 'only of a customer without a phone', hasNoPhone],
];

/** Faults that remove `credit_card` from tokens of the type `CreditCard`, which the profile `observed` tolerates (contract 2.5). */
const cardlessTokens = missingCardRows.map(([operation, name, which, when]): Fault => {
  const record = operation === 'listCustomers' ? 'customers/*' : 'customer';
  const breaks = `${operation}/data/${record}/default_payment_token/credit_card/present-with-card-token`;
  const change: Change = (response, request) => {
    // Another customer gets a new set of fields, so that a sweep of the list does not stop at known sets.
    if (which === isFirst) makeFieldSetUnique(readCustomers(response).slice(1));
    return editCustomers(which, (customer) => delete customer.default_payment_token?.credit_card)(
      response,
      request,
    );
  };
  return {
    ...fault(`a token for a card without the card, ${name}`, breaks, change, when),
    observed: 'deviation',
  };
});

export const relatedFieldFaults: Fault[] = [
  ...ruleRows.map(([name, change, when]) => fault(name, userRule, change, when)),
  {
    ...fault(
      'another user as p_user_id, only for the second',
      userRule,
      renameToOtherUser,
      hasParameter('user_id', secondUser),
    ),
    deviates: ['getFeeRules/data/fee_rules/*/user_id'],
  },
  ...cardlessTokens,
];
