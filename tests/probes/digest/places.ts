import type { Contract, Schema } from '../../../schemas/contract.ts';
import { isObject } from '../../../schemas/json.ts';
import { schemaAt } from '../../../schemas/violations.ts';
import { quote } from '../../client/drafts.ts';
import { describeValue, readsLikeWord, shapeOf } from '../../client/redaction.ts';

/** A place in the answers of an operation; `*` stands for every element of an array. */
export type Place = readonly [operation: string, pointer: string];

/** What a question reads: places, and what is said of a value there, as a draft. */
export interface Reading {
  places(contract: Contract): Place[];
  tell(value: unknown, schema?: Schema): string;
}

/** What the contract says of a place. */
export function schemaOf({ operations }: Contract, [id, pointer]: Place): Schema | undefined {
  const operation = operations.find((one) => one.id === id);
  return operation && schemaAt(operation, pointer);
}

/** A word of a vocabulary where the schema says that it may be shown, else only the shape. */
function word(value: unknown, schema?: Schema): string {
  const open = schema?.['x-data-classification']?.sensitivity === 'public';
  const hidden = describeValue(value);
  return open && typeof value === 'string' && readsLikeWord(value) ? quote(value, hidden) : hidden;
}

const successWords = /^(success|successful|succeeded|ok|okay|done)$/i;

/** A message is free text: words that anybody would expect, or its shape. */
function message(value: unknown): string {
  if (typeof value !== 'string') return describeValue(value);
  return successWords.test(value) ? value : `shaped "${shapeOf(value.slice(0, 24))}"`;
}

const decimal = /^-?\d+(?:\.(\d{1,20}))?$/;
/** A longer text has none of the known forms. */
const longest = 60;

function decimalForm(value: unknown): string {
  if (typeof value === 'number') return 'a JSON number';
  const found = typeof value === 'string' && value.length <= longest ? decimal.exec(value) : null;
  if (!found) return 'another form';
  const { length } = found[1] ?? '';
  if (length === 0) return 'an integer as text';
  return `${length} ${length === 1 ? 'decimal' : 'decimals'} as text`;
}

/** How much of a card number is shown: counts of digits only. */
function numberForm(value: unknown): string {
  if (typeof value !== 'string' || value.length > longest) return 'another form';
  const plain = value.replace(/[ -]/g, '');
  if (/^\d{8,19}$/.test(plain)) return 'not masked';
  const [, before, after] = /^(\d*)[*xX•#.]+(\d*)$/.exec(plain) ?? [];
  if (before === undefined || after === undefined) return 'another form';
  return before ? `first ${before.length} and last ${after.length} digits` : `last ${after.length} digits`;
}

/** The type of a token, and whether it carries a card. */
function tokenForm(value: unknown): string {
  if (!isObject(value)) return 'no token';
  const type = Object.hasOwn(value, 'token_type') ? value.token_type : undefined;
  const carries = Object.hasOwn(value, 'credit_card') && isObject(value.credit_card);
  const shown = typeof type === 'string' && readsLikeWord(type) ? quote(type, otherToken) : otherToken;
  return `${shown}${carries ? withCard : ''}`;
}

const otherToken = 'another type';
/** Ends what is said of a token that carries a card. */
export const withCard = ' with card';

const customers: Place[] = [
  ['listCustomers', '/data/customers/*'],
  ['getCustomer', '/data/customer'],
];
const token = '/default_payment_token';
const limits = '/data/card/limits/*';
const rules = '/data/fee_rules/*';

const at =
  (operation: string, ...pointers: string[]) =>
  (): Place[] =>
    pointers.map((one) => [operation, one]);
/** Places below each customer, listed or looked up. */
const ofCustomers = (rest: string) => (): Place[] =>
  customers.map(([operation, pointer]) => [operation, pointer + rest]);

/** What each question reads that lists what was seen at some places. */
export const readings: Record<string, Reading> = {
  'success-message': {
    places: ({ operations }) => operations.map(({ id }) => [id, '/message']),
    tell: message,
  },
  'card-types': { places: at('getCard', '/data/card/type'), tell: word },
  'card-statuses': { places: at('getCard', '/data/card/status'), tell: word },
  'limit-periods': { places: at('getCard', `${limits}/period`), tell: word },
  'limit-amount-forms': {
    places: at('getCard', `${limits}/limit_amount`, `${limits}/used_amount`),
    tell: decimalForm,
  },
  'payment-methods': { places: ofCustomers('/default_payment_method'), tell: word },
  'fee-forms': {
    places: at('getFeeRules', `${rules}/fixed_fee`, `${rules}/percentage_fee`),
    tell: decimalForm,
  },
  'token-states': { places: ofCustomers(`${token}/state`), tell: word },
  'default-flag': {
    places: ofCustomers(`${token}/default`),
    tell: (value) => (typeof value === 'boolean' ? String(value) : describeValue(value)),
  },
  'credit-card-presence': { places: ofCustomers(token), tell: tokenForm },
  'card-number-form': { places: ofCustomers(`${token}/credit_card/number`), tell: numberForm },
};
