import { customers } from '../../../../mock/customers.ts';
import { knownIdentifiers } from '../../../../mock/operations.ts';
import { type Card, type FeeRule, uuid } from '../../../../mock/records.ts';
import { feeRules } from '../../../../mock/seed.ts';
import { type Change, type Condition, hasParameter, readData, set, startsFrom } from '../../harness/edits.ts';
import { makeFieldSetUnique } from '../placement.ts';
import { type CustomerFilter, createFault, editCustomers, type Fault, readCustomers } from './fault.ts';

/** Returns changed fields of a card, such as `{ last_4_digits: '0007' }` for the 7th request that the mock received. */
type CardEdit = (requestNumber: number, card: Card) => Partial<Card>;

const formatDigits = (number: number, length: number) => String(number % 10 ** length).padStart(length, '0');
const changeReference: CardEdit = (requestNumber) => ({ reference_id: uuid('reference', requestNumber) });
const changeLastDigits: CardEdit = (requestNumber) => ({ last_4_digits: formatDigits(requestNumber, 4) });
const changeActiveCard: CardEdit = (requestNumber, card) =>
  card.physical_status === 'Active' ? changeLastDigits(requestNumber, card) : {};
const changeTime: CardEdit = (requestNumber) => ({
  p_created_at: `2024-01-01T00:00:00.${formatDigits(requestNumber, 3)}Z`,
});

const changingCards: [name: string, editCard: CardEdit, when?: Condition][] = [
  ['the time of creation moves', changeTime],
  ['another reference each time', changeReference],
  ['other last digits each time', changeLastDigits],
  ['other first digits each time', (requestNumber) => ({ first_6_digits: formatDigits(requestNumber, 6) })],
  [
    'another reference each time, only of the second card',
    changeReference,
    hasParameter('id', knownIdentifiers.CARD_IDS?.[1]),
  ],
  ['other last digits each time, only of an active card', changeActiveCard],
];

const changeCard =
  (editCard: CardEdit): Change =>
  (response, { requestNumber }) => {
    const { card } = readData<{ card: Card }>(response);
    Object.assign(card, editCard(requestNumber, card));
    return response;
  };

export const changingCardFaults: Fault[] = changingCards.map(([name, editCard, when]) =>
  createFault(name, 'getCard/rules/card-is-constant', changeCard(editCard), when),
);

type FeeRuleOfUser = FeeRule & { p_user_id?: string };
type NewValues = Partial<Record<keyof FeeRuleOfUser, string | undefined>>;

const [firstUser = '', secondUser, thirdUser] = knownIdentifiers.USER_IDS ?? [];
const otherUser = uuid('user', 99);

const editUserRules =
  (chooseValues: (rule: FeeRuleOfUser, index: number) => NewValues): Change =>
  (response) => {
    const { fee_rules } = readData<{ fee_rules: FeeRuleOfUser[] }>(response);
    const userRules = fee_rules.filter(({ user_id }) => user_id !== undefined);
    for (const [index, rule] of userRules.entries()) Object.assign(rule, chooseValues(rule, index));
    return response;
  };
const nameOtherUser = editUserRules(() => ({ user_id: otherUser }));
const renameToOtherUser = editUserRules(() => ({ user_id: undefined, p_user_id: otherUser }));
const nameOtherUserInSecondRule = editUserRules(({ user_id }, index) => ({
  user_id: index === 1 ? otherUser : user_id,
}));
const nameOtherUserWithoutBusiness = editUserRules(({ user_id, business_id }) => ({
  user_id: business_id === undefined ? otherUser : user_id,
}));
const cutLastLetter = editUserRules(({ user_id }) => ({ user_id: user_id?.slice(0, -1) }));
const addOtherUser = editUserRules(() => ({ p_user_id: otherUser }));

const ruleRows: [name: string, change: Change, when?: Condition][] = [
  ['rules of another user, only for the second', nameOtherUser, hasParameter('user_id', secondUser)],
  ['rules of another user, only the second rule', nameOtherUserInSecondRule],
  ['rules of another user, only without a business', nameOtherUserWithoutBusiness],
  ['the user without the last letter', cutLastLetter],
  [
    "the first user's rules for the third",
    set('data/fee_rules', structuredClone(feeRules.users.get(firstUser))),
    hasParameter('user_id', thirdUser),
  ],
  ['another user as p_user_id, beside the right one', addOtherUser],
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

const removeCreditCards = (which: CustomerFilter): Change =>
  editCustomers(which, (customer) => {
    delete customer.default_payment_token?.credit_card;
  });

const removeFirstCreditCard: Change = (response, request) => {
  // The suite looks up one customer for each set of fields. With a new set, it also looks up a customer without the fault.
  makeFieldSetUnique(readCustomers(response).slice(1));
  return removeCreditCards(isFirst)(response, request);
};

const listedCard = 'listCustomers/data/customers/*/default_payment_token/credit_card/present-with-card-token';
const cardOfLookup = 'getCustomer/data/customer/default_payment_token/credit_card/present-with-card-token';

const missingCardRows: [breaks: string, name: string, change: Change, when?: Condition][] = [
  [listedCard, 'of every customer', removeCreditCards(isAny)],
  [listedCard, 'only of a failed binding', removeCreditCards(isInState('Failed'))],
  [listedCard, 'only of the first customer', removeFirstCreditCard],
  [listedCard, 'only on later pages', removeCreditCards(isInState('Active')), startsFrom(20)],
  [listedCard, 'only of those linked to a store', removeCreditCards(isInState('Active')), isLinkedToStore],
  [cardOfLookup, 'of every customer', removeCreditCards(isAny)],
  [cardOfLookup, 'only of a failed binding', removeCreditCards(isInState('Failed'))],
  [cardOfLookup, 'only of a customer without a phone', removeCreditCards(hasNoPhone)],
];

const cardlessTokenFaults = missingCardRows.map(([breaks, name, change, when]): Fault => {
  const fault = createFault(`a token for a card without the card, ${name}`, breaks, change, when);
  // The contract itself reports such tokens (2.5).
  return { ...fault, observed: 'deviation' };
});

export const relatedFieldFaults: Fault[] = [
  ...ruleRows.map(([name, change, when]) => createFault(name, userRule, change, when)),
  {
    ...createFault(
      'another user as p_user_id, only for the second',
      userRule,
      renameToOtherUser,
      hasParameter('user_id', secondUser),
    ),
    deviates: ['getFeeRules/data/fee_rules/*/user_id'],
  },
  ...cardlessTokenFaults,
];
