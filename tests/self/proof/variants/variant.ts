import { success } from '../../../../mock/answers.ts';
import type { Choices } from '../../../../mock/choices.ts';
import { feeRule } from '../../../../mock/records.ts';
import { cards } from '../../../../mock/seed.ts';
import type { Alter, MockRequest } from '../../../../mock/server.ts';
import { loadContract } from '../../../../schemas/contract/contract.ts';
import { lastStep, placesAt } from '../../../../schemas/json.ts';
import { altering, type Change, dataOf, operations, set } from '../../harness/edits.ts';

/** A provider that differs from the usual one and conforms all the same. */
export interface Variant {
  name: string;
  choices?: Partial<Choices>;
  alter?: Alter;
  /** Set where it differs in what HTTP is about. */
  network?: true;
  /** How a run against it must be configured. */
  settings?: {
    /** What to look up, by configuration variable. */
    identifiers?: Record<string, string[]>;
    headers?: Record<string, string>;
    /** More than one where it takes more to see the difference. */
    maxPages?: number;
  };
  /** Addresses of the requirements in which it differs as the contract itself says has been observed. */
  deviates?: string[];
}

/** Variants that differ in one field, by name. */
export const named = <K extends 'alter' | 'choices'>(
  field: K,
  values: Record<string, Variant[K]>,
  rest: Omit<Variant, 'name'> = {},
): Variant[] => Object.entries(values).map(([name, value]) => ({ name, [field]: value, ...rest }));

/** A record, or another object of an answer. */
export type Fields = Record<string, unknown>;

/** Where records of each kind stand in an answer; `*` is each element of an array. */
export const placesOf = {
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

/** A kind of record that answers hold. */
export type Kind = keyof typeof placesOf;
export const kinds = Object.keys(placesOf) as Kind[];

function recordsAt(at: unknown, [step, ...rest]: string[]): Fields[] {
  if (typeof at !== 'object' || at === null) return [];
  if (step === undefined) return [at as Fields];
  const below = step === '*' ? Object.values(at) : [(at as Fields)[step]];
  return below.flatMap((value) => recordsAt(value, rest));
}

export const inTurn =
  (...alters: Alter[]): Alter =>
  async (answer, request) => {
    let altered = answer;
    for (const alter of alters) altered = await alter(altered, request);
    return altered;
  };

export const everywhere = (change: Change): Alter =>
  inTurn(...operations.map((operation) => altering(operation, change)));

/** Edits every record of a kind, counted from 0 over all answers. */
export const each = (kind: Kind, edit: (record: Fields, index: number) => void): Alter => {
  let index = 0;
  return everywhere((answer) => {
    const found = placesOf[kind].flatMap((path) => recordsAt(answer.body, path.split('/').filter(Boolean)));
    for (const record of found) edit(record, index++);
    return answer;
  });
};

export const assign = (kind: Kind, values: Fields): Alter =>
  each(kind, (record) => Object.assign(record, structuredClone(values)));

/** Names the user of each rule as the contract reports to have been observed (contract 2.7). */
export const userRenamed: Alter = each('feeRule', (rule) => {
  if ('user_id' in rule) rule.p_user_id = rule.user_id;
  delete rule.user_id;
});

export const without = (kind: Kind, ...names: string[]): Alter =>
  each(kind, (record) => {
    for (const name of names) delete record[name];
  });

/** Gives a field of each record of an answer the next of some values: a list and a lookup may show others. */
export const cycling = (kind: Kind, field: string, values: unknown[]): Alter =>
  each(kind, (record, index) => {
    record[field] = values[index % values.length];
  });

const echoes = loadContract().operations.flatMap(({ id, rules }) =>
  rules.flatMap(({ check }) => ('echoes' in check ? [{ operation: id, ...check }] : [])),
);

/** Names what was requested in each record that names something; and in all records, or another one, where that is given. */
export const naming = (other?: string): Alter =>
  inTurn(
    ...echoes.map(({ operation, echoes: parameter, pointer, when }) =>
      altering(operation, (answer, { parameters }) => {
        for (const { value, parent } of placesAt(answer.body, pointer)) {
          const unasked = (when && other) ?? value;
          if (unasked !== undefined) parent[lastStep(pointer)] = parameters[parameter] ?? unasked;
        }
        return answer;
      }),
    ),
  );

/** Lists other fee rules than those that would be: with these fields, and what each rule must have. */
export const feeRules = (rules: Fields[]): Alter =>
  inTurn(
    altering('getFeeRules', (answer, request) =>
      set('data/fee_rules', structuredClone(rules.map(feeRule)))(answer, request),
    ),
    naming(),
  );

/** Finds some customers by their `uuid`, and others as usual. */
export const found = (some: Fields[]): Alter => {
  const known = new Map(some.map((customer) => [customer.uuid, customer]));
  return (answer, { operation, parameters: { id } }) =>
    operation === 'getCustomer' && known.has(id) ? success({ customer: { ...known.get(id) } }) : answer;
};

/** Lists other customers than those that would be. */
export const listing = (choose: (usual: Fields[], request: MockRequest) => Fields[]): Alter =>
  altering('listCustomers', (answer, request) => {
    const data = dataOf<{ customers: Fields[] }>(answer);
    data.customers = choose(data.customers, request);
    return answer;
  });

/** Finds a card under each of some identifiers, with some fields of its own. */
export const anyCard = (ids: string[], fieldsOf: (index: number, id: string) => Fields): Alter => {
  return (answer, { operation, parameters: { id = '' } }) =>
    operation === 'getCard'
      ? success({ card: { ...cards[0], id, ...fieldsOf(ids.indexOf(id), id) } })
      : answer;
};

const cardId = (index: number) => `7e57ca4d-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A provider with one card for each of the values that a field may have. */
export function cardsWith(field: string, values: unknown[]): Omit<Variant, 'name'> {
  const cardIds = values.map((_, index) => cardId(index));
  return {
    settings: { identifiers: { CARD_IDS: cardIds } },
    alter: anyCard(cardIds, (index) => ({ [field]: values[index] })),
  };
}
