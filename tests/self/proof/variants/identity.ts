import { defaultChoices } from '../../../../mock/choices.ts';
import { customers } from '../../../../mock/customers.ts';
import { operations } from '../../../../mock/operations.ts';
import { createFeeRule, uuid } from '../../../../mock/records.ts';
import { success } from '../../../../mock/responses.ts';
import type { Alter } from '../../../../mock/server.ts';
import {
  altering,
  applyInOrder,
  type Change,
  editJson,
  hasParameter,
  readData,
  set,
} from '../../harness/edits.ts';
import {
  alterEverywhere,
  answerAnyCard,
  answerLookupsOf,
  assign,
  createVariants,
  cycleValues,
  editEach,
  type Fields,
  listFeeRules,
  renameUser,
  replaceListedCustomers,
  type Variant,
} from './variant.ts';

/* Variants with identifiers in every form, records that agree in different forms, and names that have been observed. */

const cardIds = [1, 2, 3].map((ordinal) => uuid('other card', ordinal));
const cardIdsInCapitals = cardIds.map((id) => id.toUpperCase());
/** UUID of zeros, which is valid (RFC 9562, section 5.9). */
const nilUuid = '00000000-0000-0000-0000-000000000000';

const createCardVariant = (
  name: string,
  ids: string[],
  editId: (requestedId: string) => string,
): Variant => ({
  name,
  alter: answerAnyCard(ids, (_, id) => ({ id: editId(id) })),
  settings: { identifiers: { CARD_IDS: ids } },
});

const createCustomerVariant = (naming: string, createUuid: (index: number) => string): Variant => {
  const newUuids = new Map(customers.map(({ customer }, index) => [customer.uuid, createUuid(index)]));
  const replaceUuid = (customer: Fields): Fields => {
    return { ...customer, uuid: newUuids.get(String(customer.uuid)) };
  };
  const customersWithNewUuids = customers.map(({ customer }) => replaceUuid({ ...customer }));
  const replaceListedUuids = replaceListedCustomers((usual) => usual.map(replaceUuid));
  // `CUSTOMER_IDS` can only hold simple identifiers. The suite takes the others from the list.
  const simpleIdentifier = /^[\w-]+$/;
  const configuredIds = [createUuid(0), createUuid(1)].filter((id) => simpleIdentifier.test(id));
  return {
    name: `customers named ${naming}`,
    alter: applyInOrder(answerLookupsOf(customersWithNewUuids), replaceListedUuids),
    settings: { identifiers: { CUSTOMER_IDS: configuredIds } },
  };
};

const textsToEncode = ['a b', 'a/b?c=d&e', '#1', '100%', '%2F', 'a+b', 'ü🙂', 'a\\b', ';a,b', `"'`, '$(id)'];
const userIds = ['7', 'user@example.com', 'a b&type=business', 'ü/🙂', '+1', '%41'];

const answerAnyUser: Alter = (response, { operation, parameters: { user_id } }) => {
  if (operation !== 'getFeeRules' || !user_id) return response;
  return success({ fee_rules: [createFeeRule({ user_id })] });
};

const capitalizeCustomer: Change = (response, request) =>
  set('data/customer/uuid', request.parameters.id?.toUpperCase())(response, request);

const toUpperCase = (id: string) => id.toUpperCase();
const toLowerCase = (id: string) => id.toLowerCase();
const keepId = (id: string) => id;

/** Conforming providers with identifiers in unusual forms (contract 2.2, 2.4, 2.7). */
const identifierVariants: Variant[] = [
  createCardVariant('a card requested in lower case and named in capitals', cardIds, toUpperCase),
  createCardVariant('a card requested in capitals and named in lower case', cardIdsInCapitals, toLowerCase),
  createCardVariant('cards requested and named in capitals', cardIdsInCapitals, keepId),
  createCardVariant('the nil UUID as a card', [nilUuid], keepId),
  createCustomerVariant('by numbers', (index) => String(1000 + index)),
  createCustomerVariant('by words', (index) => `cus_${index}`),
  createCustomerVariant('by UUIDs in capitals', (index) => uuid('other customer', index).toUpperCase()),
  createCustomerVariant(
    'by what needs encoding',
    (index) => `${textsToEncode[index % textsToEncode.length]}${index}`,
  ),
  createCustomerVariant('by long words', (index) => `${'x'.repeat(1000)}${index}`),
  createCustomerVariant('by dots', (index) => '.'.repeat(index)),
  createCustomerVariant('by lone surrogates', (index) => `\ud800${index}`),
  {
    name: 'users whose identifiers are no UUIDs',
    alter: answerAnyUser,
    settings: { identifiers: { USER_IDS: userIds } },
  },
  ...createVariants('alter', {
    'customers requested in lower case and named in capitals': altering('getCustomer', capitalizeCustomer),
    'rules of the business that name a user': altering(
      'getFeeRules',
      set('data/fee_rules/0/user_id', 'u-9'),
      hasParameter('type', 'business'),
    ),
  }),
];

const capitalize = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value);
const capitalizeField = (field: string) => (record: Fields) => ({
  ...record,
  [field]: capitalize(record[field]),
});

const lookupRoute = operations.find(({ operation }) => operation === 'getCustomer');

const lookUpInAnyCase: Alter = (response, { operation, parameters: { id = '' } }) => {
  if (operation !== 'getCustomer' || !lookupRoute) return response;
  return structuredClone(lookupRoute.handle({ id: id.toLowerCase() }, defaultChoices));
};

const capitalizeListedUuids = (isCapitalizedFor: (requestNumber: number) => boolean): Alter => {
  const capitalizePages = replaceListedCustomers((usual, { requestNumber }) =>
    isCapitalizedFor(requestNumber) ? usual.map(capitalizeField('uuid')) : usual,
  );
  return applyInOrder(capitalizePages, lookUpInAnyCase);
};

const removeIdentifiers = altering('getFeeRules', (response) => {
  for (const rule of readData<{ fee_rules: Fields[] }>(response).fee_rules) {
    delete rule.user_id;
    delete rule.business_id;
  }
  return response;
});

const capitalizeUser = (targetField: 'user_id' | 'p_user_id') =>
  editEach('feeRule', (rule) => {
    if (!Object.hasOwn(rule, 'user_id')) return;
    const { user_id: user } = rule;
    delete rule.user_id;
    rule[targetField] = capitalize(user);
  });

/** Returns four spellings of half a second after `time`, such as `2024-03-31T12:00:00.50Z`. */
const listSpellings = (time: string) => ['0Z', '000Z', '0+00:00', '00+00:00'].map((end) => `${time}.5${end}`);

/** Conforming providers that spell a value in several ways or omit it (contract 2.2, 2.4, 2.7). */
const agreeingVariants = createVariants('alter', {
  'customers listed in capitals and looked up in lower case': capitalizeListedUuids(() => true),
  'customers in capitals on every second page': capitalizeListedUuids((requestNumber) => {
    return requestNumber % 2 === 0;
  }),
  'rules without identifiers': removeIdentifiers,
  'the user of a rule in capitals': capitalizeUser('user_id'),
  // The suite requests each of three cards twice. Of the two answers for one card, one has an odd index.
  'a card reference in capitals every second time': editEach('card', (card, index) => {
    if (index % 2 === 1) card.reference_id = capitalize(card.reference_id);
  }),
  'the time of creation 2024-03-31T12:00:00, written otherwise each time': cycleValues(
    'card',
    'p_created_at',
    listSpellings('2024-03-31T12:00:00'),
  ),
  'the time of creation 2016-12-31T23:59:60, written otherwise each time': cycleValues(
    'card',
    'p_created_at',
    listSpellings('2016-12-31T23:59:60'),
  ),
});

const fixedFee = 'getFeeRules/data/fee_rules/*/fixed_fee';
const percentageFee = 'getFeeRules/data/fee_rules/*/percentage_fee';
const userField = 'getFeeRules/data/fee_rules/*/user_id';
const numbers = [0, 1, 2.9, -1, 1e21, 1e-7, 123456789012345];
const feeForms = numbers.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }));
const unquoteFees = alterEverywhere(editJson((json) => json.replace(/("\w+_fee"):"([^"]*)"/g, '$1:$2')));
const renameUserAndFees = applyInOrder(renameUser, assign('feeRule', { fixed_fee: 1, percentage_fee: 0 }));

type Row = [name: string, alter: Alter, ...deviates: string[]];
const deviationRows: Row[] = [
  ['fees as JSON numbers of every form', listFeeRules(feeForms), fixedFee, percentageFee],
  ['fees as JSON numbers with zeros behind the point', unquoteFees, fixedFee, percentageFee],
  ['only the fixed fee as a JSON number', assign('feeRule', { fixed_fee: 0.3 }), fixedFee],
  [
    'only some percentage fees as JSON numbers',
    cycleValues('feeRule', 'percentage_fee', [1.5, '1.5']),
    percentageFee,
  ],
  ['the user as p_user_id', renameUser, userField],
  ['the user of a rule in capitals, as p_user_id', capitalizeUser('p_user_id'), userField],
  ['the user as p_user_id, and fees as JSON numbers', renameUserAndFees, fixedFee, percentageFee, userField],
  [
    'limits for periods that are not known to occur',
    cycleValues('limit', 'period', ['Weekly', 'lifetime', '']),
    'getCard/data/card/limits/*/period/values-that-occur',
  ],
];

/** Providers whose deviations are all known and accepted (contract 2.3, 2.7). */
const deviationVariants: Variant[] = deviationRows.map(([name, alter, ...deviates]) => ({
  name,
  alter,
  deviates,
}));

export const identityVariants: Variant[] = [...identifierVariants, ...agreeingVariants, ...deviationVariants];
