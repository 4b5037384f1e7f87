import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { findMatchingFields, getOwnValue, isObjectOrArray } from '../../schemas/json.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import { describeShape, describeValue, formatShape } from '../redact/describe-value.ts';
import { type DisclosureFilter, rejectEveryWord } from '../redact/disclosure.ts';

/**
 * Counts the values of the fields that a question is about, keyed by a description that reports may show: `{ "Active": 2 }`.
 * `values` lists the addresses of these fields, such as `getCard/data/card/status`; `*` as the operation stands for any operation.
 */
export function countValues(
  { values: fields = [], form = 'word' }: Pick<Question, 'values' | 'form'>,
  operation: Operation,
  body: unknown,
  mayShow: DisclosureFilter,
): Counts {
  const countByDescription = new Map<string, number>();
  const describeFieldValue = describers[form];
  const operationPrefix = new RegExp(`^(${operation.id}|\\*)(?=/)`);
  const fieldsOfOperation = fields.filter((field) => operationPrefix.test(field));
  for (const field of fieldsOfOperation) {
    const pointer = field.replace(operationPrefix, '');
    const schema = findSchema(operation, pointer);
    for (const { value } of findMatchingFields(body, pointer)) {
      if (value === undefined) continue;
      const description = describeFieldValue(value, mayShow, schema);
      countByDescription.set(description, (countByDescription.get(description) ?? 0) + 1);
    }
  }
  return Object.fromEntries(countByDescription);
}

const describePrivate = (value: unknown) => describeValue(value, undefined, rejectEveryWord);

const asText = (value: unknown) => (typeof value === 'string' ? value : '');

export const withCardSuffix = ' with card';

/** Functions that turn a received value into text for an answer, keyed by `form` of the question, such as `card number`. */
const describers: Record<
  NonNullable<Question['form']>,
  (value: unknown, mayShow: DisclosureFilter, schema?: Schema) => string
> = {
  // Public words, such as `Active`; other values by type and shape.
  word: (value, mayShow, schema) =>
    isPublic(schema) && typeof value === 'string' && mayShow(value) ? value : describePrivate(value),
  flag: (value) => (typeof value === 'boolean' ? String(value) : describePrivate(value)),
  // Free text: a usual word such as `OK`, or the shape of the first 24 characters.
  message: (value) => {
    if (typeof value !== 'string') return describePrivate(value);
    const isUsual = /^(success|successful|succeeded|ok|okay|done)$/i.test(value);
    return isUsual ? value : formatShape(describeShape(value.slice(0, 24)));
  },
  // How a decimal is written: "a JSON number", or "2 decimals as text".
  decimal: (value) => {
    if (typeof value === 'number') return 'a JSON number';
    const [number, { length } = ''] = /^-?\d+(?:\.(\d{1,20}))?$/.exec(asText(value)) ?? [];
    if (number === undefined) return 'another form';
    if (length === 0) return 'an integer as text';
    return length === 1 ? '1 decimal as text' : `${length} decimals as text`;
  },
  // Whether digits are masked, and how many are not: "first 6 and last 4 digits".
  'card number': (value) => {
    const text = asText(value).replace(/[ -]/g, '');
    if (/^\d{8,19}$/.test(text)) return 'not masked';
    const [, before, after] = /^(\d*)[*xX•#.]+(\d*)$/.exec(text) ?? [];
    if (before === undefined || after === undefined) return 'another form';
    const beginning = before === '' ? '' : `first ${before.length} and `;
    return `${beginning}last ${after.length} digits`;
  },
  // Type of a payment token, and whether it carries a card.
  token: (value, mayShow) => {
    const type = getOwnValue(value, 'token_type');
    const name = typeof type === 'string' && mayShow(type) ? type : 'another type';
    return name + (isObjectOrArray(getOwnValue(value, 'credit_card')) ? withCardSuffix : '');
  },
};
