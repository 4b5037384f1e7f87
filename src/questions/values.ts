import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { findSchema } from '../../schemas/contract/nodes.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { findMatchingFields, getOwnValue, isObjectOrArray } from '../../schemas/json.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import { describeShape, describeValue, formatShape } from '../redact/describe-value.ts';
import { type DisclosureFilter, rejectEveryWord } from '../redact/disclosure.ts';

/** First words of an answer that does not list its values: `more than 12 different values`. */
export const tooManyValuesPrefix = 'more than ';

/**
 * Counts the values that the fields of a question have in a body: `{ Active: 2, 'a number': 1 }`. `Question.form` decides how a
 * value is described. With the form `decimal`, the counts may be `{ '2 decimals as text': 3 }`.
 */
export function countValues(
  { values: fields = [], form = 'word' }: Pick<Question, 'values' | 'form'>,
  operation: Operation,
  body: unknown,
  mayShow: DisclosureFilter,
): Counts {
  const countByDescription = new Map<string, number>();
  const describeFieldValue = describers[form];
  for (const pointer of selectPointers(fields, operation)) {
    const schema = findSchema(operation, pointer);
    for (const { value } of findMatchingFields(body, pointer)) {
      if (value === undefined) continue;
      const description = describeFieldValue(value, mayShow, schema);
      const earlierCount = countByDescription.get(description) ?? 0;
      countByDescription.set(description, earlierCount + 1);
    }
  }
  return Object.fromEntries(countByDescription);
}

/** Selects fields of one operation as JSON Pointers: `getCard/data/card/status` becomes `/data/card/status`. */
function selectPointers(fields: string[], { id }: Operation): string[] {
  const operationPrefix = new RegExp(`^(${id}|\\*)(?=/)`);
  const fieldsOfOperation = fields.filter((field) => operationPrefix.test(field));
  return fieldsOfOperation.map((field) => field.replace(operationPrefix, ''));
}

const describePrivate = (value: unknown) => describeValue(value, undefined, rejectEveryWord);

const asText = (value: unknown) => (typeof value === 'string' ? value : '');

export const withCardSuffix = ' with card';

const describers: Record<
  NonNullable<Question['form']>,
  (value: unknown, mayShow: DisclosureFilter, schema?: Schema) => string
> = {
  word: describeWord,
  flag: (value) => (typeof value === 'boolean' ? String(value) : describePrivate(value)),
  message: describeMessage,
  decimal: describeDecimal,
  'card number': describeCardNumber,
  token: describeToken,
};

function describeWord(value: unknown, mayShow: DisclosureFilter, schema?: Schema): string {
  const mayShowValue = isPublic(schema) && typeof value === 'string' && mayShow(value);
  return mayShowValue ? value : describePrivate(value);
}

const usualMessage = /^(success|successful|succeeded|ok|okay|done)$/i;

function describeMessage(value: unknown): string {
  if (typeof value !== 'string') return describePrivate(value);
  return usualMessage.test(value) ? value : formatShape(describeShape(value.slice(0, 24)));
}

function describeDecimal(value: unknown): string {
  if (typeof value === 'number') return 'a JSON number';
  const match = /^-?\d+(?:\.(?<decimals>\d{1,20}))?$/.exec(asText(value));
  if (!match) return 'another form';
  const decimals = match.groups?.decimals ?? '';
  if (decimals === '') return 'an integer as text';
  return decimals.length === 1 ? '1 decimal as text' : `${decimals.length} decimals as text`;
}

/**
 * Describes which digits a masked card number shows: "first 6 and last 4 digits" for `411111******1111`. Returns "not masked" for 8
 * to 19 digits, and "another form" for any other value.
 */
function describeCardNumber(value: unknown): string {
  const text = asText(value).replace(/[ -]/g, '');
  if (/^\d{8,19}$/.test(text)) return 'not masked';
  const match = /^(?<start>\d*)[*xX•#.]+(?<end>\d*)$/.exec(text);
  if (!match) return 'another form';
  const { start = '', end = '' } = match.groups ?? {};
  const shownParts = [start && `first ${start.length}`, end && `last ${end.length}`].filter(Boolean);
  return `${shownParts.join(' and ') || 'no'} digits`;
}

function describeToken(value: unknown, mayShow: DisclosureFilter): string {
  const type = getOwnValue(value, 'token_type');
  const shownType = typeof type === 'string' && mayShow(type) ? type : 'another type';
  const hasCard = isObjectOrArray(getOwnValue(value, 'credit_card'));
  return hasCard ? shownType + withCardSuffix : shownType;
}
