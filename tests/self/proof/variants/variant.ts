import { cards } from '../../../../mock/cards.ts';
import type { Choices } from '../../../../mock/choices.ts';
import { selectListed } from '../../../../mock/operations.ts';
import { type Customer, createFeeRule, sources as everySource } from '../../../../mock/records.ts';
import { success } from '../../../../mock/responses.ts';
import type { Alter, MockRequest } from '../../../../mock/server.ts';
import { loadContract } from '../../../../schemas/contract/contract.ts';
import { findMatchingFields, getLastStep } from '../../../../schemas/json.ts';
import { altering, applyInOrder, type Change, operations, readData, set } from '../../harness/edits.ts';

/** Provider that behaves unlike the mock, but must pass the suite. */
export interface Variant {
  name: string;
  choices?: Partial<Choices>;
  alter?: Alter;
  /** Present if the variant needs real HTTP requests, for example for compressed bodies. */
  network?: true;
  settings?: {
    identifiers?: Record<string, string[]>;
    headers?: Record<string, string>;
  };
  /** Requirements that the variant breaks as a known, accepted deviation. */
  deviates?: string[];
}

/** Creates one variant per name: `createVariants('choices', { 'offset counts pages': { offsetCounts: 'pages' } })`. */
export const createVariants = <Field extends 'alter' | 'choices'>(
  field: Field,
  valuesByName: Record<string, Variant[Field]>,
): Variant[] => Object.entries(valuesByName).map(([name, value]) => ({ name, [field]: value }));

export type Fields = Record<string, unknown>;

/** Paths to each kind of object in a response body; `*`: every array element. */
export const pathsByKind = {
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

export type Kind = keyof typeof pathsByKind;
export const kinds = Object.keys(pathsByKind) as Kind[];

function findObjects(container: unknown, [step, ...furtherSteps]: string[]): Fields[] {
  if (typeof container !== 'object' || container === null) return [];
  if (step === undefined) return [container as Fields];
  // `*` stands for every element of an array.
  const children = step === '*' ? Object.values(container) : [(container as Fields)[step]];
  return children.flatMap((child) => findObjects(child, furtherSteps));
}

export const alterEverywhere = (change: Change): Alter =>
  applyInOrder(...operations.map((operation) => altering(operation, change)));

/** Creates an `Alter` that edits each object of a kind in successful responses. */
export const editEach = (kind: Kind, edit: (record: Fields, index: number) => void): Alter => {
  // Counts the objects of all responses.
  let index = 0;
  return alterEverywhere((response) => {
    for (const path of pathsByKind[kind]) {
      const steps = path.split('/').filter(Boolean);
      for (const record of findObjects(response.body, steps)) {
        edit(record, index);
        index += 1;
      }
    }
    return response;
  });
};

export const assign = (kind: Kind, values: Fields): Alter =>
  editEach(kind, (record) => Object.assign(record, structuredClone(values)));

/** Renames `user_id` of every fee rule to `p_user_id` (contract 2.7). */
export const renameUser: Alter = editEach('feeRule', (rule) => {
  if ('user_id' in rule) rule.p_user_id = rule.user_id;
  delete rule.user_id;
});

export const removeFields = (kind: Kind, ...names: string[]): Alter =>
  editEach(kind, (record) => {
    for (const name of names) delete record[name];
  });

/** Creates an `Alter` that sets a field to each of `values` in turn. */
export const cycleValues = (kind: Kind, field: string, values: unknown[]): Alter =>
  editEach(kind, (record, index) => {
    record[field] = values[index % values.length];
  });

const echoRules = loadContract().operations.flatMap(({ id, rules }) =>
  rules.flatMap(({ check }) => ('echoes' in check ? [{ operation: id, ...check }] : [])),
);

/**
 * Creates an `Alter` that overwrites response fields such as `id` with the request parameters that they must equal.
 * @param defaultUser if given, every fee rule gets a `user_id`: that of the request, or else `defaultUser`;
 *   if undefined, only fee rules with `user_id` get that of the request, if any
 */
export const echoParameters = (defaultUser?: string): Alter =>
  applyInOrder(...echoRules.map((rule) => echoParameter(rule, defaultUser)));

const echoParameter = (rule: (typeof echoRules)[number], defaultUser: string | undefined): Alter => {
  const { operation, pointer, echoes: parameterName, when } = rule;
  const fieldName = getLastStep(pointer);
  // Only the rule for `user_id` has a condition (`when`).
  const defaultValue = when ? defaultUser : undefined;
  return altering(operation, (response, { parameters }) => {
    for (const { value, parent } of findMatchingFields(response.body, pointer)) {
      const newValue = parameters[parameterName] ?? defaultValue ?? value;
      // Without a default, an absent field stays absent.
      const staysAbsent = value === undefined && defaultValue === undefined;
      if (!staysAbsent) parent[fieldName] = newValue;
    }
    return response;
  });
};

/** Creates an `Alter` that replaces the fee rules of each response by `rules`. */
export const listFeeRules = (rules: Fields[]): Alter =>
  applyInOrder(
    altering('getFeeRules', (response, request) => {
      const setRules = set('data/fee_rules', structuredClone(rules.map(createFeeRule)));
      return setRules(response, request);
    }),
    // Replaces each `user_id` in `rules` by that of the request, if any.
    echoParameters(),
  );

export const answerLookupsOf = (customers: Fields[]): Alter => {
  const customerByUuid = new Map(customers.map((customer) => [customer.uuid, customer]));
  return (response, { operation, parameters: { id: requestedUuid } }) => {
    const customer = customerByUuid.get(requestedUuid);
    if (operation !== 'getCustomer' || !customer) return response;
    return success({ customer: { ...customer } });
  };
};

/** Creates an `Alter` that replaces the mock's customers on each page of the list. */
export const replaceListedCustomers = (
  chooseCustomers: (usual: Fields[], request: MockRequest) => Fields[],
): Alter =>
  altering('listCustomers', (response, request) => {
    const data = readData<{ customers: Fields[] }>(response);
    data.customers = chooseCustomers(data.customers, request);
    return response;
  });

/** Selects the listed customers by the parameters of the request. */
export const applyListParameters: Alter = (response, { operation, parameters }) => {
  if (operation !== 'listCustomers') return response;
  const { data } = (response.body ?? {}) as { data?: { customers?: Customer[] } | null };
  // Fields do not tell whether a user or a store is linked, so each customer passes `linked_source_type` (`everySource`).
  // The mock has already applied the parameters, but a variant may have changed a field since then.
  const linkedCustomers = data?.customers?.map((customer) => ({ linkedTo: everySource, customer }));
  if (data && linkedCustomers) data.customers = selectListed(parameters, linkedCustomers);
  return response;
};

/**
 * Creates an `Alter` that answers each `getCard` with a card of the requested `id`.
 * @param createFields returns fields of the card; `index`: position of `id` in `ids`
 */
export const answerAnyCard =
  (ids: string[], createFields: (index: number, id: string) => Fields): Alter =>
  (response, { operation, parameters: { id = '' } }) => {
    if (operation !== 'getCard') return response;
    return success({ card: { ...cards[0], id, ...createFields(ids.indexOf(id), id) } });
  };

const createCardId = (index: number) => `7e57ca4d-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Creates a provider with one card for each value of `field`. */
export function createCards(field: string, values: unknown[]): Omit<Variant, 'name'> {
  const cardIds = values.map((_, index) => createCardId(index));
  return {
    settings: { identifiers: { CARD_IDS: cardIds } },
    alter: answerAnyCard(cardIds, (index) => ({ [field]: values[index] })),
  };
}
