import { cards } from '../../../../mock/cards.ts';
import type { Card } from '../../../../mock/records.ts';
import type { Alter } from '../../../../mock/server.ts';
import { loadContract, type Rule } from '../../../../schemas/contract/contract.ts';
import { listNodes, type Node } from '../../../../schemas/contract/nodes.ts';
import { getParentPointer } from '../../../../schemas/json.ts';
import { altering, applyInOrder, set } from '../../harness/edits.ts';
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
  pathsByKind,
  removeFields,
  type Variant,
} from './variant.ts';

/* Variants with any of the optional fields, and with any value that the contract allows (contract 2). */

const nodes = loadContract().operations.flatMap(listNodes);

const listFields = (kind: Kind): Node[] => {
  const pointersOfKind = pathsByKind[kind].map((path) => (path ? `/${path}` : ''));
  const fieldsByName = new Map<string, Node>();
  for (const node of nodes) {
    const isInKind = pointersOfKind.includes(getParentPointer(node.pointer));
    if (isInKind && !fieldsByName.has(node.name)) fieldsByName.set(node.name, node);
  }
  return [...fieldsByName.values()];
};

/** Optional fields of one kind of object: `{ kind: 'customer', fields: { email: 'a@b.c' } }`. */
interface OptionalFields {
  kind: Kind;
  fields: Fields;
}

function listOptionalFields(kind: Kind): OptionalFields[] {
  const optionalNodes = listFields(kind).filter((node) => !node.required && node.kind === 'field');
  const objectNodes = optionalNodes.filter(({ schema }) => schema.properties);
  const valueNodes = optionalNodes.filter(({ schema }) => !schema.properties);
  return [objectNodes, valueNodes]
    .filter((fieldNodes) => fieldNodes.length > 0)
    .map((fieldNodes) => ({ kind, fields: createExampleFields(fieldNodes) }));
}

function createExampleFields(fieldNodes: Node[]): Fields {
  const fields: Fields = {};
  for (const node of fieldNodes) fields[node.name] = findExample(node);
  return fields;
}

// An object such as `default_payment_token` comes before its own optional fields, because these can only be added to an existing object.
const allOptionalFields = kinds.filter((kind) => kind !== 'envelope').flatMap(listOptionalFields);

const addAllOptionalFields = (): Alter =>
  applyInOrder(...allOptionalFields.map(({ kind, fields }) => assign(kind, fields)), echoParameters('u'));

const removeAllOptionalFields = applyInOrder(
  ...allOptionalFields.map(({ kind, fields }) => removeFields(kind, ...Object.keys(fields))),
);

const cardAddresses = ['listCustomers/data/customers/*', 'getCustomer/data/customer'].map(
  (record) => `${record}/default_payment_token/credit_card/present-with-card-token`,
);

const keepOneField = (kind: Kind, names: string[]): Alter =>
  editEach(kind, (record, index) => {
    const keptName = names[index % names.length];
    for (const name of names) if (name !== keptName) delete record[name];
  });

// Called for each variant, because an alter counts the objects of all answers. A token of this type needs no credit card.
const completeRecords = (): Alter =>
  applyInOrder(addAllOptionalFields(), assign('token', { token_type: 'AlipayAutoDebit' }));

const createAbsenceVariants = ({ kind, fields }: OptionalFields): Variant[] => {
  const names = Object.keys(fields);
  const withoutFields = {
    name: `no ${kind} with ${names.join(', ')}`,
    alter: applyInOrder(completeRecords(), removeFields(kind, ...names)),
  };
  if (names.length === 1) return [withoutFields];
  const withOneField = {
    name: `a ${kind} with only one of ${names.join(', ')}`,
    alter: applyInOrder(completeRecords(), keepOneField(kind, names)),
  };
  return [withoutFields, withOneField];
};

/** Providers that send, omit or vary optional fields (contract 2). */
const presenceVariants: Variant[] = [
  ...allOptionalFields.flatMap(createAbsenceVariants),
  ...createVariants('alter', {
    'every optional field present': addAllOptionalFields(),
    'every optional field absent': removeAllOptionalFields,
    'a list without a message': altering('listCustomers', set('message', undefined)),
    'a list with a message': assign('envelope', { message: 'ok' }),
    'a credit card without fields': assign('token', { credit_card: {} }),
    'a credit card behind a token of another type': applyInOrder(
      addAllOptionalFields(),
      cycleValues('token', 'token_type', ['WechatPayAutoDebit', 'AlipayAutoDebit']),
    ),
    'no token that is the default one': assign('token', { default: false }),
    'only tokens that are the default one': assign('token', { default: true }),
  }),
  {
    name: 'a token of type CreditCard without credit_card',
    deviates: cardAddresses,
    alter: applyInOrder(assign('token', { token_type: 'CreditCard' }), removeFields('token', 'credit_card')),
  },
];

const amounts = [
  ...['0', '0.0', '0.00', '100', '007.50', '-0', '-12.5', '00', `${'9'.repeat(400)}.5`],
  ...['1234567890123456789012345678901234567890', '0.123456789012345678901234567890'],
];

const digitCounts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12];

const timestamps = [
  ...digitCounts.map((digitCount) => `2024-03-31T01:59:59.${'123456789012'.slice(0, digitCount)}Z`),
  ...['2024-01-01T00:00:00.0Z', '2024-02-29T12:00:00.000Z', '2000-02-29T12:00:00.5Z'],
  // Second 60 is a leap second (RFC 3339, section 5.7).
  ...['2016-12-31T23:59:60.000Z', '2016-12-31T23:59:60.999+00:00', '2024-12-31T23:59:59.999999999+00:00'],
  ...['1969-12-31T23:59:59.9Z', '0001-01-01T00:00:00.0Z', '9999-12-31T23:59:59.999Z'],
];

const hexDigitsFromOne = '123456789abcdef'.split('');

const uuids = [
  // Nil and max UUID (RFC 9562, sections 5.9 and 5.10).
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  // The first digit of the third group is the version, and that of the fourth group is the variant.
  ...hexDigitsFromOne.map((digit) => `7c0f3a52-5d0e-${digit}a43-${digit}d5b-0a6f2f1f9c11`),
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

const restrictedPointers = loadContract()
  .operations.flatMap(({ rules }) => rules)
  .map(findRestrictedPointer);

function findRestrictedPointer({ check }: Rule): string | undefined {
  // The field that must equal a request parameter.
  if ('echoes' in check) return check.pointer;
  if ('unique' in check) return check.unique;
  return undefined;
}

const restrictingKeywords = ['enum', 'format', 'pattern', 'x-values-that-occur'] as const;

function allowsAnyText({ schema, pointer }: Node): boolean {
  if (schema.type !== 'string' || restrictedPointers.includes(pointer)) return false;
  return restrictingKeywords.every((keyword) => !schema[keyword]);
}

/** String fields that may hold any text: no `enum`, `format` or similar restriction. */
export const freeTextFields = kinds.flatMap((kind) =>
  listFields(kind)
    .filter(allowsAnyText)
    .map(({ name, schema }) => ({ kind, name, schema })),
);

const isPublic = ({ schema }: Pick<Node, 'schema'>) =>
  schema['x-data-classification']?.sensitivity === 'public';

const setEverywhere = (value: string) =>
  applyInOrder(...freeTextFields.map(({ kind, name }) => assign(kind, { [name]: value })));

const readLastByte = (uuid: string) => Number.parseInt(uuid.slice(-2), 16);

const spreadTexts = (kind: Kind, name: string) =>
  editEach(kind, (record, index) => {
    // The `uuid` selects the text, so that the list and the lookup show the same text of a customer.
    const { uuid } = record;
    const textNumber = typeof uuid === 'string' ? readLastByte(uuid) : index;
    record[name] = texts[textNumber % texts.length];
  });

const wholeAmounts = Array.from({ length: 500 }, (_, index) => `${index}.00`);
const limitsOfOnePeriod = [...amounts, ...wholeAmounts].map((amount) => ({
  ...cards[0]?.limits[0],
  limit_amount: amount,
  used_amount: amount,
}));

/** For each card field with an `enum`: a provider with one card per value. */
const cardsOfEachValue: Variant[] = [];
for (const [field, schema] of Object.entries(loadContract().components.Card?.properties ?? {}))
  if (schema.enum)
    cardsOfEachValue.push({ name: `each ${field} of a card`, ...createCards(field, schema.enum) });

const limitsOfEachUuid = writtenUuids.map((id, index) => ({ ...limitsOfOnePeriod[index], id }));

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
    'limit identifiers of every UUID version': assign('card', { limits: limitsOfEachUuid }),
    'more used than the limit allows': assign('limit', { limit_amount: '0', used_amount: '5.00' }),
    'a title of a million characters': assign('card', { title: 'x'.repeat(1_000_000) }),
    'fees of every form': listFeeRules(amounts.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }))),
    'country codes of every form': cycleValues('customer', 'dial_code', countryCodes),
    'empty strings wherever text is free': setEverywhere(''),
    'blanks wherever text is free': setEverywhere(' \t '),
    'very long strings wherever text is free': setEverywhere('long '.repeat(400)),
    'unusual characters wherever text is free': applyInOrder(
      ...freeTextFields.map(({ kind, name }) => spreadTexts(kind, name)),
    ),
  }),
];

export const recordVariants: Variant[] = [...presenceVariants, ...valueVariants];
