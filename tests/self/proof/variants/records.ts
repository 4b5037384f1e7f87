import type { Card } from '../../../../mock/records.ts';
import { cards } from '../../../../mock/seed.ts';
import type { Alter } from '../../../../mock/server.ts';
import { loadContract } from '../../../../schemas/contract/contract.ts';
import { listNodes, type Node } from '../../../../schemas/contract/nodes.ts';
import { getParentPointer } from '../../../../schemas/json.ts';
import { altering, inTurn, set } from '../../harness/edits.ts';
import { findExample } from '../derived.ts';
import {
  assign,
  createCards,
  createVariants,
  cycleValues,
  echoParameters,
  editEach,
  type Fields,
  type Kind,
  kinds,
  listFeeRules,
  placesByKind,
  removeFields,
  type Variant,
} from './variant.ts';

/* Variants with any of the optional fields, and with any value that the contract allows (contract 2). */

const nodes = loadContract().operations.flatMap(listNodes);

const listFields = (kind: Kind): Node[] => {
  const pointersOfKind = placesByKind[kind].map((place) => (place ? `/${place}` : ''));
  const fieldsByName = new Map<string, Node>();
  for (const node of nodes) {
    const isInKind = pointersOfKind.includes(getParentPointer(node.pointer));
    if (isInKind && !fieldsByName.has(node.name)) fieldsByName.set(node.name, node);
  }
  return [...fieldsByName.values()];
};

/** Optional fields of each kind of object, with example values. Fields that hold objects come before fields inside these objects. */
const optionalFieldsByKind: [Kind, Fields][] = kinds
  .filter((kind) => kind !== 'envelope')
  .flatMap((kind) => {
    const optionalFields = listFields(kind).filter((node) => !node.required && node.kind === 'field');
    return [true, false].map((holdObjects): [Kind, Fields] => {
      const fields = optionalFields.filter(({ schema }) => Boolean(schema.properties) === holdObjects);
      return [kind, Object.fromEntries(fields.map((node) => [node.name, findExample(node)]))];
    });
  })
  .filter(([, fields]) => Object.keys(fields).length > 0);

const addAllOptionalFields = (): Alter =>
  inTurn(...optionalFieldsByKind.map(([kind, fields]) => assign(kind, fields)), echoParameters('u'));

const cardAddresses = ['listCustomers/data/customers/*', 'getCustomer/data/customer'].map(
  (record) => `${record}/default_payment_token/credit_card/present-with-card-token`,
);

/** Creates a variant without these optional fields. For several fields, also creates one whose objects have one field each, in turn. */
const createAbsenceVariants = ([kind, fields]: [Kind, Fields]): Variant[] => {
  const names = Object.keys(fields);
  // Created for each variant, because its alters count the objects of all answers. A token of this type needs no credit card.
  const completeRecords = () =>
    inTurn(addAllOptionalFields(), assign('token', { token_type: 'AlipayAutoDebit' }));
  const keepOneField = editEach(kind, (record, index) => {
    const keptName = names[index % names.length];
    for (const name of names) if (name !== keptName) delete record[name];
  });
  const withoutFields = {
    name: `no ${kind} with ${names.join(', ')}`,
    alter: inTurn(completeRecords(), removeFields(kind, ...names)),
  };
  const withOneField = {
    name: `a ${kind} with only one of ${names.join(', ')}`,
    alter: inTurn(completeRecords(), keepOneField),
  };
  return names.length > 1 ? [withoutFields, withOneField] : [withoutFields];
};

/** Variants in which optional fields are present, absent, or present in some records (contract 2). */
const presenceVariants: Variant[] = [
  ...optionalFieldsByKind.flatMap(createAbsenceVariants),
  ...createVariants('alter', {
    'every optional field present': addAllOptionalFields(),
    'every optional field absent': inTurn(
      ...optionalFieldsByKind.map(([kind, fields]) => removeFields(kind, ...Object.keys(fields))),
    ),
    'a list without a message': altering('listCustomers', set('message', undefined)),
    'a list with a message': assign('envelope', { message: 'ok' }),
    'a credit card without fields': assign('token', { credit_card: {} }),
    'a credit card behind a token of another type': inTurn(
      addAllOptionalFields(),
      cycleValues('token', 'token_type', ['WechatPayAutoDebit', 'AlipayAutoDebit']),
    ),
    'no token that is the default one': assign('token', { default: false }),
    'only tokens that are the default one': assign('token', { default: true }),
  }),
  {
    name: 'a token of type CreditCard without credit_card',
    deviates: cardAddresses,
    alter: inTurn(assign('token', { token_type: 'CreditCard' }), removeFields('token', 'credit_card')),
  },
];

const amounts = [
  ...['0', '0.0', '0.00', '100', '007.50', '-0', '-12.5', '00', `${'9'.repeat(400)}.5`],
  ...['1234567890123456789012345678901234567890', '0.123456789012345678901234567890'],
];

/** Times in ISO 8601 with fractional seconds (contract 2.2), leap seconds included (RFC 3339, section 5.7). */
const timestamps = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 12].map((n) => `2024-03-31T01:59:59.${'123456789012'.slice(0, n)}Z`),
  ...['2024-01-01T00:00:00.0Z', '2024-02-29T12:00:00.000Z', '2000-02-29T12:00:00.5Z'],
  ...['2016-12-31T23:59:60.000Z', '2016-12-31T23:59:60.999+00:00', '2024-12-31T23:59:59.999999999+00:00'],
  ...['1969-12-31T23:59:59.9Z', '0001-01-01T00:00:00.0Z', '9999-12-31T23:59:59.999Z'],
];

/** UUIDs of each version and variant, with the nil and the max UUID (RFC 9562, sections 5.9 and 5.10). */
const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ...'123456789abcdef'.split('').map((version) => `7c0f3a52-5d0e-${version}a43-${version}d5b-0a6f2f1f9c11`),
];
const writtenUuids = [
  ...uuids,
  ...uuids.map((id) => id.toUpperCase()),
  '7C0f3a52-5d0E-4A43-9d5b-0a6F2f1f9c11',
];

const texts = [
  ...['', ' ', 'null', '%00%ff', 'a\u0000b', '\u202eevil\u202c'],
  ...['\ufeff\u2028\u2029\u0085', '\ufffe\uffff\u007f'],
  ...['مرحبا بالعالم', 'e\u0301\u0323\u{1d173}', '👩‍👩‍👧‍👦🏳️‍🌈', '漢'.repeat(3000), '\ud800', '\udc00\ud800'],
  ...['"\\/\b\f\n\r\t', '<script>alert(1)</script>', "'; DROP TABLE cards; --", '{"code":500}'],
];

/** JSON Pointers of fields whose values a rule restricts: equal to a parameter, or unique in the list. */
const ruledPointers = loadContract()
  .operations.flatMap(({ rules }) => rules)
  .flatMap(({ check }) => ('echoes' in check ? check.pointer : 'unique' in check ? check.unique : []));

const restrictingKeywords = ['enum', 'format', 'pattern', 'x-values-that-occur'] as const;

/** Fields of each kind that may have any text, because no schema keyword and no rule restricts them. */
export const freeTextFields = kinds.flatMap((kind) =>
  listFields(kind)
    .filter(
      ({ schema }) => schema.type === 'string' && restrictingKeywords.every((keyword) => !schema[keyword]),
    )
    .filter(({ pointer }) => !ruledPointers.includes(pointer))
    .map(({ name, schema }) => ({ kind, name, schema })),
);

const isPublic = ({ schema }: Pick<Node, 'schema'>) =>
  schema['x-data-classification']?.sensitivity === 'public';

const setEverywhere = (value: string) =>
  inTurn(...freeTextFields.map(({ kind, name }) => assign(kind, { [name]: value })));

const readLastByte = (uuid: string) => Number.parseInt(uuid.slice(-2), 16);

/** Creates an `Alter` that sets one of `texts` in each object. A record with a `uuid` gets the same text in all answers. */
const spreadTexts = (kind: Kind, name: string) =>
  editEach(kind, (record, index) => {
    const { uuid } = record;
    const textNumber = typeof uuid === 'string' ? readLastByte(uuid) : index;
    record[name] = texts[textNumber % texts.length];
  });

const limitsOfOnePeriod = [...amounts, ...Array.from({ length: 500 }, (_, index) => `${index}.00`)].map(
  (amount) => ({
    ...cards[0]?.limits[0],
    limit_amount: amount,
    used_amount: amount,
  }),
);

/** Variants with a card for each documented value of a field, such as `physical_status` (contract 2.2). */
const cardsOfEachValue = Object.entries(loadContract().components.Card?.properties ?? {}).flatMap(
  ([name, schema]) =>
    schema.enum ? [{ name: `each ${name} of a card`, ...createCards(name, schema.enum) }] : [],
);

const cardForms: Partial<Record<keyof Card, string[]>> = {
  p_created_at: timestamps,
  expiration_date: ['01/00', '12/99', '02/20', '10/38', '09/01', '12/25'],
  reference_id: writtenUuids,
  first_6_digits: ['000000', '000001', '999999'],
  last_4_digits: ['0000', '0001', '9999'],
  title: texts,
};

const publicWords = ['EXPIRED', 'Blocked by issuer', 'single-use', '7', ''];
const countryCodes = ['+1', '+1-242', '+44', '+1 684', '+998', '+0', '+1242'];

const valueVariants: Variant[] = [
  ...cardsOfEachValue,
  ...Object.entries(cardForms).map(([field, forms]) => ({
    name: `every form of ${field}`,
    ...createCards(field, forms),
  })),
  ...freeTextFields.filter(isPublic).map(({ kind, name }) => ({
    name: `new values of ${name} of a ${kind}`,
    alter: cycleValues(kind, name, publicWords),
  })),
  ...createVariants('alter', {
    'decimal amounts of every form, in 500 limits of one period': assign('card', {
      limits: limitsOfOnePeriod,
    }),
    'limit identifiers of every UUID version': assign('card', {
      limits: writtenUuids.map((id, n) => ({ ...limitsOfOnePeriod[n], id })),
    }),
    'more used than the limit allows': assign('limit', { limit_amount: '0', used_amount: '5.00' }),
    'a title of a million characters': assign('card', { title: 'x'.repeat(1_000_000) }),
    'fees of every form': listFeeRules(amounts.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }))),
    'country codes of every form': cycleValues('customer', 'dial_code', countryCodes),
    'empty strings wherever text is free': setEverywhere(''),
    'blanks wherever text is free': setEverywhere(' \t '),
    'very long strings wherever text is free': setEverywhere('long '.repeat(400)),
    'unusual characters wherever text is free': inTurn(
      ...freeTextFields.map(({ kind, name }) => spreadTexts(kind, name)),
    ),
  }),
];

export const recordVariants: Variant[] = [...presenceVariants, ...valueVariants];
