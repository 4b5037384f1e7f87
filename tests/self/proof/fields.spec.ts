import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';

interface Table {
  section: string;
  /** Where the fields stand: operation and pointer of the object that holds them. */
  places: string[];
  required: string;
  optional: string;
}

const customers = ['listCustomers/data/customers/*', 'getCustomer/data/customer'];
const below = (places: string[], field: string) => places.map((place) => `${place}/${field}`);
const tokens = below(customers, 'default_payment_token');

/** Sections 2.1 to 2.7 of the contract, written out a second time, by hand. */
const tables: Table[] = [
  {
    section: '2.1',
    places: ['getCard', 'getCustomer', 'getFeeRules'],
    required: 'code message data',
    optional: '',
  },
  { section: '2.1', places: ['listCustomers'], required: 'code data', optional: 'message' },
  { section: '4.1', places: ['getCard/data'], required: 'card', optional: '' },
  { section: '4.2', places: ['listCustomers/data'], required: 'customers', optional: '' },
  { section: '4.3', places: ['getCustomer/data'], required: 'customer', optional: '' },
  { section: '4.4', places: ['getFeeRules/data'], required: 'fee_rules', optional: '' },
  {
    section: '2.2',
    places: ['getCard/data/card'],
    required:
      'id title type status settlement_currency first_6_digits last_4_digits reference_id p_created_at ' +
      'expiration_date limits physical_status',
    optional: '',
  },
  {
    section: '2.3',
    places: ['getCard/data/card/limits/*'],
    required: 'period limit_amount used_amount',
    optional: 'id status',
  },
  {
    section: '2.4',
    places: customers,
    required: 'dial_code reference_number uuid',
    optional: 'name email phone default_payment_method default_payment_token',
  },
  {
    section: '2.5',
    places: tokens,
    required: 'token_type token state default',
    optional: 'error_code error_msg credit_card',
  },
  {
    section: '2.6',
    places: below(tokens, 'credit_card'),
    required: '',
    optional: 'number exp_month exp_year holder_name brand billing_currency',
  },
  {
    section: '2.7',
    places: ['getFeeRules/data/fee_rules/*'],
    required: 'fixed_fee percentage_fee',
    optional: 'user_id business_id',
  },
];

/** Closed sets of values, sections 2.2 to 2.5. */
const enums: Record<string, string> = {
  'getCard/data/card/physical_status': 'Idle Ordered Active Locked Suspended Terminated',
  'getCard/data/card/limits/*/status': 'Active Inactive',
  ...Object.fromEntries(
    below(tokens, 'token_type').map((it) => [it, 'CreditCard WechatPayAutoDebit AlipayAutoDebit']),
  ),
};

/** A value that is no string; everything else is. */
const types: Record<string, RegExp> = {
  object: /^\w+$|\/(data|card|customer|default_payment_token|credit_card|\*)$/,
  array: /\/(limits|customers|fee_rules)$/,
  integer: /^\w+\/code$/,
  boolean: /\/default$/,
};

/** An operation that is added needs no second description here. */
const described = new Set(tables.flatMap((table) => table.places.map((place) => place.split('/')[0])));
const nodes = loadContract()
  .operations.filter(({ id }) => described.has(id))
  .flatMap(nodesOf);
const places = nodes.map((node) => ({ ...node, place: node.operation + node.pointer }));
const sortedNames = (text: string) => text.split(' ').filter(Boolean).sort();

for (const { section, places: holders, required, optional } of tables) {
  for (const holder of holders) {
    test(`${holder} has the fields of section ${section} of the contract, and no others`, () => {
      const fields = places.filter(({ place }) => place.slice(0, place.lastIndexOf('/')) === holder);
      const own = fields.filter(({ name, place }) => place.endsWith(`/${name}`));
      const named = (isRequired: boolean) =>
        own.filter((one) => one.required === isRequired).map(({ name }) => name);
      expect({ required: named(true).sort(), optional: named(false).sort() }).toEqual({
        required: sortedNames(required),
        optional: sortedNames(optional),
      });
      const addresses = new Set(requirementsOf(loadContract()).map(({ address }) => address));
      expect(own.filter(({ place }) => !addresses.has(place)).map(({ place }) => place)).toEqual([]);
    });
  }
}

test('every object of an answer is in one of the tables', () => {
  const objects = places.filter(({ schema }) => schema.properties).map(({ place }) => place);
  expect(objects.sort()).toEqual(tables.flatMap((table) => table.places).sort());
});

test('closed sets of values are those of the contract', () => {
  const closed = places.filter(({ schema }) => schema.enum);
  expect(Object.fromEntries(closed.map(({ place, schema }) => [place, schema.enum?.join(' ')]))).toEqual(
    enums,
  );
});

test('types are those of the contract', () => {
  const typeOf = (place: string) => Object.keys(types).find((type) => types[type]?.test(place)) ?? 'string';
  const wrong = places.filter(({ place, schema }) => schema.type !== typeOf(place));
  expect(wrong.map(({ place, schema }) => `${place}: ${schema.type}`)).toEqual([]);
});
