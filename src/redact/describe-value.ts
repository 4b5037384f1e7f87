import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { formatCount } from '../../schemas/counted.ts';
import type { DisclosureFilter } from './disclosure.ts';

/**
 * Describes a received value, such as `the string "Active"` or `an array of 3`.
 * @param schema schema of the value. A string, number or boolean is shown only if its schema is classified as public. Otherwise the
 *   value is hidden, as in `a number`.
 * @param mayShow filter for public strings and numbers. A rejected value is hidden, too.
 */
export function describeValue(value: unknown, schema: Schema | undefined, mayShow: DisclosureFilter): string {
  if (value === undefined) return 'nothing: it is missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return `an object with ${formatCount(Object.keys(value).length, 'field')}`;
  if (typeof value === 'boolean') return isPublic(schema) ? `the boolean ${value}` : 'a boolean';
  const isShown = isPublic(schema) && mayShow(String(value));
  if (typeof value === 'string') return isShown ? `the string "${value}"` : hideText(value);
  return isShown ? `the number ${value}` : hideNumber(value);
}

// A fraction alone may violate the contract, so it is shown.
const hideNumber = (number: unknown) => (Number.isInteger(number) ? 'a number' : 'a number with a fraction');

function hideText(text: string): string {
  if (text === '') return 'an empty string';
  const shape = text.length > maxWholeLength ? describeShapeOfEnds(text) : describeShape(text);
  return `a string of ${formatCount(text.length, 'character')}, ${formatShape(shape)}`;
}

function describeShapeOfEnds(text: string): string {
  const beginning = text.slice(0, shownAtBeginning);
  const end = text.slice(-shownAtEnd);
  return `${describeShape(beginning)}…${describeShape(end)}`;
}

const maxWholeLength = 40;
const shownAtBeginning = 24;
const shownAtEnd = 8;

const shapePrefix = 'shaped "';

export const formatShape = (shape: string): string => `${shapePrefix}${shape}"`;

/** Returns whether a text shows the shape of a hidden value: `shaped "Aaa 000"`. */
export const mentionsShape = (text: string): boolean => text.includes(shapePrefix);

/** Reduces a text to its shape: `Abc-123` to `Aaa-000`. */
export function describeShape(text: string): string {
  return text
    .replace(/[A-Z]/g, 'A')
    .replace(/[a-z]/g, 'a')
    .replace(/[0-9]/g, '0')
    .replace(punctuationRunPattern, hideMixedPunctuation)
    .replace(otherThanAsciiPattern, '?');
}

const punctuationRunPattern = /[!-/:-@[-`{-~]{3,}/g;

// Different marks in a row may belong to a password.
const hideMixedPunctuation = (marks: string): string =>
  isRepeatedCharacter(marks) ? marks : '?'.repeat(marks.length);
const otherThanAsciiPattern = /[^ -~]/gu;

const isRepeatedCharacter = (characters: string) => /^(.)\1*$/.test(characters);

const mediaTypePattern = /^(application|audio|image|message|model|multipart|text|video)\/[a-z+.-]{1,30}$/;

export const isDisclosableMediaType = (value: unknown, mayShow: DisclosureFilter): value is string =>
  typeof value === 'string' && mediaTypePattern.test(value) && value.split(/[/.+]/).every(mayShow);

export function describeMediaType(mediaType: unknown, mayShow: DisclosureFilter): string {
  if (mediaType === undefined) return 'no Content-Type';
  return isDisclosableMediaType(mediaType, mayShow) ? mediaType : 'another Content-Type';
}

export const describeName = (name: string, mayShow: DisclosureFilter): string =>
  /[A-Za-z]/.test(name) && mayShow(name) ? name : withheld;

export const describeCode = (code: string, mayShow: DisclosureFilter): string =>
  mayShow(code) ? code : '(code withheld)';

export const withheld = '(name withheld)';

const maxPointerSteps = 32;

/**
 * Redacts a JSON Pointer: `/data/Jane Doe/id` becomes `/data/(name withheld)/id`. Long numbers are withheld, too.
 * @param operation operation of the response. Names in the schema of this operation are shown.
 * @param mayShow filter for all other names
 */
export function redactPointer(operation: Operation, pointer: string, mayShow: DisclosureFilter): string {
  // `http` and `request` have no slash; in a JSON Pointer, the text before the first slash is empty.
  const [beforeFirstSlash = '', ...steps] = pointer.split('/');
  const shownSteps = [beforeFirstSlash];
  let schema: Schema | undefined = operation.schema;
  for (const step of steps.slice(0, maxPointerSteps)) {
    if (isInteger(step)) {
      shownSteps.push(redactNumericStep(step, schema));
      schema = schema?.items;
    } else {
      schema = findField(schema, step);
      const isDeclared = schema !== undefined;
      shownSteps.push(isDeclared ? step : describeName(step, mayShow));
    }
  }
  if (steps.length > maxPointerSteps) shownSteps.push('…');
  return shownSteps.join('/');
}

const isInteger = (step: string) => /^\d+$/.test(step);

function redactNumericStep(step: string, parentSchema: Schema | undefined): string {
  const maxDigits = parentSchema?.items ? maxDigitsInArray : maxDigitsElsewhere;
  return step.length <= maxDigits ? step : withheld;
}

// A number with more digits may be an identifier.
const maxDigitsInArray = 8;
const maxDigitsElsewhere = 3;
