import { success } from '../../../../mock/answers.ts';
import type { Choices } from '../../../../mock/choices.ts';
import { feeRule } from '../../../../mock/records.ts';
import { cards } from '../../../../mock/seed.ts';
import type { Alter, MockRequest } from '../../../../mock/server.ts';
import { loadContract } from '../../../../schemas/contract/contract.ts';
import { findPlaces, getLastStep } from '../../../../schemas/json.ts';
import { altering, type Change, dataOf, operations, set } from '../../harness/edits.ts';

/** Conforming provider that differs from the mock with its default choices. */
export interface Variant {
  name: string;
  choices?: Partial<Choices>;
  alter?: Alter;
  /** Set if the difference needs HTTP. */
  network?: true;
  /** Settings of a run against the variant. */
  settings?: {
    /** Identifiers to look up, keyed by environment variable. */
    identifiers?: Record<string, string[]>;
    headers?: Record<string, string>;
  };
  /** Addresses of requirements from which the variant deviates as the contract reports to have been observed. */
  deviates?: string[];
}

/** Creates variants that differ in one field, from its values keyed by name. */
export const createVariants = <K extends 'alter' | 'choices'>(
  field: K,
  values: Record<string, Variant[K]>,
  common: Omit<Variant, 'name'> = {},
): Variant[] => Object.entries(values).map(([name, value]) => ({ name, [field]: value, ...common }));

/** Record or other object of an answer. */
export type Fields = Record<string, unknown>;

/** Paths of the records of each kind in an answer; `*` is each element of an array. */
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

/** Kind of record in an answer. */
export type Kind = keyof typeof placesByKind;
export const kinds = Object.keys(placesByKind) as Kind[];

function findRecords(container: unknown, [step, ...rest]: string[]): Fields[] {
  if (typeof container !== 'object' || container === null) return [];
  if (step === undefined) return [container as Fields];
  const children = step === '*' ? Object.values(container) : [(container as Fields)[step]];
  return children.flatMap((value) => findRecords(value, rest));
}

export const inTurn =
  (...alters: Alter[]): Alter =>
  async (answer, request) => {
    let altered = answer;
    for (const alter of alters) altered = await alter(altered, request);
    return altered;
  };

export const alterEverywhere = (change: Change): Alter =>
  inTurn(...operations.map((operation) => altering(operation, change)));

/** Edits every record of a kind. `index` counts records from 0 over all answers. */
export const editEach = (kind: Kind, edit: (record: Fields, index: number) => void): Alter => {
  let index = 0;
  return alterEverywhere((answer) => {
    const records = placesByKind[kind].flatMap((path) =>
      findRecords(answer.body, path.split('/').filter(Boolean)),
    );
    for (const record of records) edit(record, index++);
    return answer;
  });
};

export const assign = (kind: Kind, values: Fields): Alter =>
  editEach(kind, (record) => Object.assign(record, structuredClone(values)));

/** Renames `user_id` to `p_user_id`, as the contract reports to have been observed (contract 2.7). */
export const renameUser: Alter = editEach('feeRule', (rule) => {
  if ('user_id' in rule) rule.p_user_id = rule.user_id;
  delete rule.user_id;
});

export const removeFields = (kind: Kind, ...names: string[]): Alter =>
  editEach(kind, (record) => {
    for (const name of names) delete record[name];
  });

/** Sets a field of each record to the next of some values, so that a list and a lookup may differ. */
export const cycleValues = (kind: Kind, field: string, values: unknown[]): Alter =>
  editEach(kind, (record, index) => {
    record[field] = values[index % values.length];
  });

const echoes = loadContract().operations.flatMap(({ id, rules }) =>
  rules.flatMap(({ check }) => ('echoes' in check ? [{ operation: id, ...check }] : [])),
);

/** Sets identifiers in records to the requested ones. A record with an optional identifier gets `otherName` if none is requested. */
export const nameRequested = (otherName?: string): Alter =>
  inTurn(
    ...echoes.map(({ operation, echoes: parameter, pointer, when }) =>
      altering(operation, (answer, { parameters }) => {
        for (const { value, parent } of findPlaces(answer.body, pointer)) {
          const name = (when && otherName) ?? value;
          if (name !== undefined) parent[getLastStep(pointer)] = parameters[parameter] ?? name;
        }
        return answer;
      }),
    ),
  );

/** Replaces the fee rules of answers. Each rule has its required fields, and these. */
export const listFeeRules = (rules: Fields[]): Alter =>
  inTurn(
    altering('getFeeRules', (answer, request) =>
      set('data/fee_rules', structuredClone(rules.map(feeRule)))(answer, request),
    ),
    nameRequested(),
  );

/** Finds these customers by their `uuid`, besides those of the mock. */
export const findCustomers = (customers: Fields[]): Alter => {
  const customersById = new Map(customers.map((customer) => [customer.uuid, customer]));
  return (answer, { operation, parameters: { id } }) =>
    operation === 'getCustomer' && customersById.has(id)
      ? success({ customer: { ...customersById.get(id) } })
      : answer;
};

/** Replaces the customers of a list. */
export const listing = (chooseCustomers: (usual: Fields[], request: MockRequest) => Fields[]): Alter =>
  altering('listCustomers', (answer, request) => {
    const data = dataOf<{ customers: Fields[] }>(answer);
    data.customers = chooseCustomers(data.customers, request);
    return answer;
  });

/** Finds a card under each identifier, with other fields for each. */
export const findAnyCard = (ids: string[], createFields: (index: number, id: string) => Fields): Alter => {
  return (answer, { operation, parameters: { id = '' } }) =>
    operation === 'getCard'
      ? success({ card: { ...cards[0], id, ...createFields(ids.indexOf(id), id) } })
      : answer;
};

const cardId = (index: number) => `7e57ca4d-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Creates a variant with one card for each value of a field. */
export function createCards(field: string, values: unknown[]): Omit<Variant, 'name'> {
  const cardIds = values.map((_, index) => cardId(index));
  return {
    settings: { identifiers: { CARD_IDS: cardIds } },
    alter: findAnyCard(cardIds, (index) => ({ [field]: values[index] })),
  };
}
