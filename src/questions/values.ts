import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { schemaAt } from '../../schemas/contract/nodes.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { isObjectOrArray, ownValue, placesAt } from '../../schemas/json.ts';
import { describeValue, shapeOf, shapeText } from '../redact/describe-value.ts';
import { type Shows, showsNothing } from '../redact/disclosure.ts';

/** How often something is said of the values that a question lists. */
export type Tally = Record<string, number>;

/** What a success of an operation shows of the values that a question lists. */
export function tallyOf(
  { values = [], form = 'word' }: Pick<Question, 'values' | 'form'>,
  operation: Operation,
  body: unknown,
  shows: Shows,
): Tally {
  const tally = new Map<string, number>();
  const own = new RegExp(`^(${operation.id}|\\*)(?=/)`);
  for (const place of values.filter((one) => own.test(one))) {
    const pointer = place.replace(own, '');
    const found = placesAt(body, pointer).filter(({ value }) => value !== undefined);
    for (const { value } of found) {
      const text = forms[form](value, shows, schemaAt(operation, pointer));
      tally.set(text, (tally.get(text) ?? 0) + 1);
    }
  }
  return Object.fromEntries(tally);
}

const told = (value: unknown) => describeValue(value, undefined, showsNothing);

type Form = NonNullable<Question['form']>;

const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

/** Ends what is said of a token that carries a card. */
export const withCard = ' with card';

/** What is said of a value, by the form that a question names. */
const forms: Record<Form, (value: unknown, shows: Shows, schema?: Schema) => string> = {
  word: (value, shows, schema) =>
    isPublic(schema) && typeof value === 'string' && shows(value) ? value : told(value),
  flag: (value) => (typeof value === 'boolean' ? String(value) : told(value)),
  // Free text: words that anybody would expect, or its shape.
  message: (value) => {
    if (typeof value !== 'string') return told(value);
    const isUsual = /^(success|successful|succeeded|ok|okay|done)$/i.test(value);
    return isUsual ? value : shapeText(shapeOf(value.slice(0, 24)));
  },
  decimal: (value) => {
    if (typeof value === 'number') return 'a JSON number';
    const [found, { length } = ''] = /^-?\d+(?:\.(\d{1,20}))?$/.exec(textIn(value)) ?? [];
    if (found === undefined) return 'another form';
    return length === 0 ? 'an integer as text' : `${length} ${length === 1 ? 'decimal' : 'decimals'} as text`;
  },
  // Counts of digits only.
  'card number': (value) => {
    const text = textIn(value).replace(/[ -]/g, '');
    if (/^\d{8,19}$/.test(text)) return 'not masked';
    const [, before, after] = /^(\d*)[*xX•#.]+(\d*)$/.exec(text) ?? [];
    if (before === undefined || after === undefined) return 'another form';
    return `${before && `first ${before.length} and `}last ${after.length} digits`;
  },
  token: (value, shows) => {
    const type = ownValue(value, 'token_type');
    const shown = typeof type === 'string' && shows(type) ? type : 'another type';
    return shown + (isObjectOrArray(ownValue(value, 'credit_card')) ? withCard : '');
  },
};
