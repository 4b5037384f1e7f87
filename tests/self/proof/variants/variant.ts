import type { Choices } from '../../../../mock/choices.ts';
import { isListedFor } from '../../../../mock/operations.ts';
import { type Customer, createFeeRule, sources as everySource } from '../../../../mock/records.ts';
import { success } from '../../../../mock/responses.ts';
import { cards } from '../../../../mock/seed.ts';
import type { Alter, MockRequest } from '../../../../mock/server.ts';
import { loadContract } from '../../../../schemas/contract/contract.ts';
import { findMatchingFields, getLastStep } from '../../../../schemas/json.ts';
import { altering, type Change, inTurn, operations, readData, set } from '../../harness/edits.ts';

/** Provider that conforms to the contract, but differs from the mock. The suite must report nothing. */
export interface Variant {
  name: string;
  choices?: Partial<Choices>;
  alter?: Alter;
  /** Present if only a provider behind real HTTP shows the variant, for example compressed bodies. */
  network?: true;
  settings?: {
    identifiers?: Record<string, string[]>;
    headers?: Record<string, string>;
  };
  /** Addresses of requirements from which the variant deviates. The ledger accepts these deviations of every target. */
  deviates?: string[];
}

export const createVariants = <Field extends 'alter' | 'choices'>(
  field: Field,
  valuesByName: Record<string, Variant[Field]>,
): Variant[] => Object.entries(valuesByName).map(([name, value]) => ({ name, [field]: value }));

export type Fields = Record<string, unknown>;

/** Paths of the objects of each kind below the body of an answer; `*` is each element of an array. */
export const placesByKind = {
  envelope: [''],
  data: ['data'],
  card: ['data/card'],
  limit: ['data/card/limits/*'],
  customer: ['data/customer', 'data/customers/*'],
  token: ['data/customer/default_payment_token', 'data/customers/*/default_payment_token'],
  creditCard: [
    'data/customer/default_payment_token/credit_card',
    'data/customers/*/default_payment_token/credit_card',
  ],
  feeRule: ['data/fee_rules/*'],
} as const;

export type Kind = keyof typeof placesByKind;
export const kinds = Object.keys(placesByKind) as Kind[];

function findRecords(container: unknown, [step, ...rest]: string[]): Fields[] {
  if (typeof container !== 'object' || container === null) return [];
  if (step === undefined) return [container as Fields];
  const children = step === '*' ? Object.values(container) : [(container as Fields)[step]];
  return children.flatMap((value) => findRecords(value, rest));
}

export const alterEverywhere = (change: Change): Alter =>
  inTurn(...operations.map((operation) => altering(operation, change)));

/** Creates an `Alter` that edits every object of a kind in place. `index` counts the objects in all answers so far. */
export const editEach = (kind: Kind, edit: (record: Fields, index: number) => void): Alter => {
  let index = 0;
  return alterEverywhere((response) => {
    const records = placesByKind[kind].flatMap((path) =>
      findRecords(response.body, path.split('/').filter(Boolean)),
    );
    for (const record of records) edit(record, index++);
    return response;
  });
};

export const assign = (kind: Kind, values: Fields): Alter =>
  editEach(kind, (record) => Object.assign(record, structuredClone(values)));

/** Renames `user_id` of every fee rule to `p_user_id`, the name in observed responses (contract 2.7). */
export const renameUser: Alter = editEach('feeRule', (rule) => {
  if ('user_id' in rule) rule.p_user_id = rule.user_id;
  delete rule.user_id;
});

export const removeFields = (kind: Kind, ...names: string[]): Alter =>
  editEach(kind, (record) => {
    for (const name of names) delete record[name];
  });

/** Creates an `Alter` that sets a field of the first object to the first value, of the second object to the second, and so on. */
export const cycleValues = (kind: Kind, field: string, values: unknown[]): Alter =>
  editEach(kind, (record, index) => {
    record[field] = values[index % values.length];
  });

/** Rules by which a field of the response has the value of a parameter, such as `id` of a card. */
const echoes = loadContract().operations.flatMap(({ id, rules }) =>
  rules.flatMap(({ check }) => ('echoes' in check ? [{ operation: id, ...check }] : [])),
);

/**
 * Creates an `Alter` that sets each field with an `echoes` rule, such as `id` of a card, to the value of its request parameter.
 * @param defaultValue value if the request lacks the parameter, only for rules with `when`, such as `user_id`; default: that of the mock
 */
export const echoParameters = (defaultValue?: string): Alter =>
  inTurn(
    ...echoes.map(({ operation, echoes: parameter, pointer, when }) =>
      altering(operation, (response, { parameters }) => {
        for (const { value, parent } of findMatchingFields(response.body, pointer)) {
          const fallback = when && defaultValue !== undefined ? defaultValue : value;
          if (fallback === undefined) continue;
          parent[getLastStep(pointer)] = parameters[parameter] ?? fallback;
        }
        return response;
      }),
    ),
  );

/** Creates an `Alter` that answers with these fee rules. Adds the required fields that a rule lacks. */
export const listFeeRules = (rules: Fields[]): Alter =>
  inTurn(
    altering('getFeeRules', (response, request) =>
      set('data/fee_rules', structuredClone(rules.map(createFeeRule)))(response, request),
    ),
    echoParameters(),
  );

export const answerLookupsOf = (customers: Fields[]): Alter => {
  const customerByUuid = new Map(customers.map((customer) => [customer.uuid, customer]));
  return (response, { operation, parameters: { id: uuid } }) =>
    operation === 'getCustomer' && customerByUuid.has(uuid)
      ? success({ customer: { ...customerByUuid.get(uuid) } })
      : response;
};

/** Creates an `Alter` that replaces the customers of the list. `usual` are the customers that the mock would list. */
export const listing = (chooseCustomers: (usual: Fields[], request: MockRequest) => Fields[]): Alter =>
  altering('listCustomers', (response, request) => {
    const data = readData<{ customers: Fields[] }>(response);
    data.customers = chooseCustomers(data.customers, request);
    return response;
  });

/** Removes listed customers that a filter by a field excludes, because a variant may have changed the field. */
export const obeyFilters: Alter = (response, { operation, parameters }) => {
  const { data } = (response.body ?? {}) as { data?: { customers?: Customer[] } | null };
  const isListed = (customer: Customer) => isListedFor(parameters, { linkedTo: everySource, customer });
  if (operation === 'listCustomers' && data?.customers) data.customers = data.customers.filter(isListed);
  return response;
};

/** Creates an `Alter` that finds every requested card. `createFields` gets the index of the requested `id` in `ids`, or -1. */
export const answerAnyCard = (ids: string[], createFields: (index: number, id: string) => Fields): Alter => {
  return (response, { operation, parameters: { id = '' } }) =>
    operation === 'getCard'
      ? success({ card: { ...cards[0], id, ...createFields(ids.indexOf(id), id) } })
      : response;
};

const cardId = (index: number) => `7e57ca4d-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Creates all but the name of a variant that has one card for each value of a field. The suite looks up all these cards. */
export function createCards(field: string, values: unknown[]): Omit<Variant, 'name'> {
  const cardIds = values.map((_, index) => cardId(index));
  return {
    settings: { identifiers: { CARD_IDS: cardIds } },
    alter: answerAnyCard(cardIds, (index) => ({ [field]: values[index] })),
  };
}
