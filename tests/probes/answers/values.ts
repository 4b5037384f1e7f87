import { loadContract, type Schema } from '../../../schemas/contract.ts';
import { isObject } from '../../../schemas/json.ts';
import { schemaAt } from '../../../schemas/violations.ts';
import { describeValue, isWord, shapeOf } from '../../client/redaction.ts';
import { type Evidence, type Inference, likely, unknown } from '../evidence.ts';
import { answersOf } from '../outcome.ts';

/** A place in the answers of an operation; `*` stands for every element of an array. */
export type Place = readonly [operation: string, pointer: string];

/** Values at a place, and the schema of it. */
export function valuesAt(evidence: Evidence, [operation, pointer]: Place): unknown[] {
  const steps = pointer.split('/').slice(1);
  return answersOf(evidence, operation).flatMap(({ body }) => below(body, steps));
}

function below(value: unknown, [step, ...rest]: string[]): unknown[] {
  if (step === undefined) return [value];
  if (step === '*') return Array.isArray(value) ? value.flatMap((element) => below(element, rest)) : [];
  return isObject(value) && Object.hasOwn(value, step) ? below(value[step], rest) : [];
}

/** Beyond this a field holds no vocabulary but free text. */
const mostWords = 12;

/** An inference that lists what was seen at some places, each value in the words that `tell` finds for it. */
export function listing(places: Place[], tell: (value: unknown, place: Place) => string): Inference {
  return (evidence) => {
    const words = places.flatMap((place) => valuesAt(evidence, place).map((value) => tell(value, place)));
    const distinct = [...new Set(words)].sort();
    if (distinct.length === 0) return unknown('nothing was seen to tell it by');
    const answer =
      distinct.length > mostWords ? `more than ${mostWords} different values` : distinct.join(', ');
    return { ...likely(answer), evidence: [`${words.length} values at ${places.map(nameOf).join(', ')}`] };
  };
}

const nameOf = ([operation, pointer]: Place) => operation + pointer;

const schemaOf = ([id, pointer]: Place): Schema | undefined => {
  const operation = loadContract().operations.find((one) => one.id === id);
  return operation && schemaAt(operation, pointer);
};

/** A word of a vocabulary where the schema says that it may be shown, else only the shape. */
function word(value: unknown, place: Place): string {
  const open = schemaOf(place)?.['x-data-classification']?.sensitivity === 'public';
  return open && typeof value === 'string' && isWord(value) ? value : describeValue(value);
}

const successWords = /^(success|successful|succeeded|ok|okay|done)$/i;

/** A message is free text: words that anybody would expect, or its shape. */
function message(value: unknown): string {
  if (typeof value !== 'string') return describeValue(value);
  return successWords.test(value) ? value : `shaped "${shapeOf(value.slice(0, 24))}"`;
}

function decimalForm(value: unknown): string {
  if (typeof value === 'number') return 'a JSON number';
  const [, decimals] = /^-?\d+(?:\.(\d{1,20}))?$/.exec(String(value)) ?? [];
  if (typeof value !== 'string' || !/^-?\d+(\.\d{1,20})?$/.test(value)) return 'another form';
  if (decimals === undefined) return 'an integer as text';
  return `${decimals.length} ${decimals.length === 1 ? 'decimal' : 'decimals'} as text`;
}

const operations = () => loadContract().operations.map(({ id }) => id);
const limits = '/data/card/limits/*';
const customers: Place[] = [
  ['listCustomers', '/data/customers/*'],
  ['getCustomer', '/data/customer'],
];

/** Places below each customer, listed or looked up. */
export const ofCustomers = (rest: string): Place[] =>
  customers.map(([operation, pointer]) => [operation, pointer + rest]);

export const values: Record<string, Inference> = {
  'success-message': (evidence) =>
    listing(
      operations().map((id) => [id, '/message']),
      message,
    )(evidence),
  'card-types': listing([['getCard', '/data/card/type']], word),
  'card-statuses': listing([['getCard', '/data/card/status']], word),
  'limit-periods': listing([['getCard', `${limits}/period`]], word),
  'limit-amount-forms': listing(
    [
      ['getCard', `${limits}/limit_amount`],
      ['getCard', `${limits}/used_amount`],
    ],
    decimalForm,
  ),
  'payment-methods': listing(ofCustomers('/default_payment_method'), word),
  'fee-forms': listing(
    [
      ['getFeeRules', '/data/fee_rules/*/fixed_fee'],
      ['getFeeRules', '/data/fee_rules/*/percentage_fee'],
    ],
    decimalForm,
  ),
};
