import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { formatCount } from '../../schemas/counted.ts';
import type { DisclosureFilter } from './disclosure.ts';

/**
 * Describes a received value for reports: `the string "Active"` if the contract classifies the field as public and `mayShow` allows
 * the value. Otherwise hides the value: `a string of 7 characters, shaped "Aaa 000"`.
 */
export function describeValue(value: unknown, schema: Schema | undefined, mayShow: DisclosureFilter): string {
  if (value === undefined) return 'nothing: it is missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return `an object with ${formatCount(Object.keys(value).length, 'field')}`;
  if (typeof value === 'boolean') return isPublic(schema) ? `the boolean ${value}` : 'a boolean';
  const isShown = isPublic(schema) && mayShow(String(value));
  if (typeof value === 'string') return isShown ? `the string "${value}"` : describeText(value);
  return isShown ? `the number ${value}` : describeNumber(value);
}

/** Describes a number by its kind, because an invalid number may be wrong only in not being an integer. */
const describeNumber = (number: unknown) =>
  Number.isInteger(number) ? 'a number' : 'a number with a fraction';

function describeText(text: string): string {
  if (text === '') return 'an empty string';
  const isLong = text.length > maxWholeLength;
  const beginning = text.slice(0, shownAtBeginning);
  const end = text.slice(-shownAtEnd);
  const shape = isLong ? `${describeShape(beginning)}…${describeShape(end)}` : describeShape(text);
  return `a string of ${formatCount(text.length, 'character')}, ${formatShape(shape)}`;
}

const maxWholeLength = 40;
const shownAtBeginning = 24;
const shownAtEnd = 8;

const shapePrefix = 'shaped "';

export const formatShape = (shape: string): string => `${shapePrefix}${shape}"`;

/** Returns whether a description hides the value behind its shape, as in `shaped "Aaa 000"`. */
export const mentionsShape = (text: string): boolean => text.includes(shapePrefix);

/**
 * Reduces a text to its shape: `Aaa 000` for `Abc 123`. Characters outside ASCII become `?`. So do three or more punctuation marks
 * in a row, which may belong to a password, unless all are equal as in `---`.
 */
export function describeShape(text: string): string {
  return text
    .replace(/[A-Z]/g, 'A')
    .replace(/[a-z]/g, 'a')
    .replace(/[0-9]/g, '0')
    .replace(punctuationRunPattern, (characters) =>
      isUniform(characters) ? characters : '?'.repeat(characters.length),
    )
    .replace(otherThanAsciiPattern, '?');
}

const punctuationRunPattern = /[!-/:-@[-`{-~]{3,}/g;
const otherThanAsciiPattern = /[^ -~]/gu;

const isUniform = (characters: string) => /^(.)\1*$/.test(characters);

const mediaTypePattern = /^(application|audio|image|message|model|multipart|text|video)\/[a-z+.-]{1,30}$/;

export const isDisclosableMediaType = (value: unknown, mayShow: DisclosureFilter): value is string =>
  typeof value === 'string' && mediaTypePattern.test(value) && value.split(/[/.+]/).every(mayShow);

export function describeMediaType(value: unknown, mayShow: DisclosureFilter): string {
  if (value === undefined) return 'no Content-Type';
  return isDisclosableMediaType(value, mayShow) ? value : 'another Content-Type';
}

export const describeName = (name: string, mayShow: DisclosureFilter): string =>
  /[A-Za-z]/.test(name) && mayShow(name) ? name : withheld;

export const describeCode = (code: string, mayShow: DisclosureFilter): string =>
  mayShow(code) ? code : '(code withheld)';

export const withheld = '(name withheld)';

const maxPointerSteps = 32;

/**
 * Redacts a JSON Pointer: names that the contract does not declare and `mayShow` rejects, and numbers that are too long for an
 * array index, become `(name withheld)`. Ends with `…` after 32 steps.
 */
export function redactPointer(operation: Operation, pointer: string, mayShow: DisclosureFilter): string {
  const [root = '', ...steps] = pointer.split('/');
  const shownSteps = [root];
  let schema: Schema | undefined = operation.schema;
  for (const step of steps.slice(0, maxPointerSteps)) {
    if (isInteger(step)) {
      shownSteps.push(redactNumber(step, schema));
      schema = schema?.items;
    } else {
      schema = findField(schema, step);
      shownSteps.push(schema ? step : describeName(step, mayShow));
    }
  }
  if (steps.length > maxPointerSteps) shownSteps.push('…');
  return shownSteps.join('/');
}

const isInteger = (step: string) => /^\d+$/.test(step);

/** Withholds a number with so many digits that it may be an identifier. */
function redactNumber(number: string, arraySchema: Schema | undefined): string {
  const maxDigits = arraySchema?.items ? maxDigitsInArray : maxDigitsElsewhere;
  return number.length <= maxDigits ? number : withheld;
}

const maxDigitsInArray = 8;
const maxDigitsElsewhere = 3;
