import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { formatCount } from '../../schemas/counted.ts';
import type { DisclosureFilter } from './disclosure.ts';

/**
 * Describes a received value for reports: `the string "Active"`, if its schema is public and the disclosure filter allows the
 * value. Any other text or number is described by its type, length and shape: `a string of 7 characters, shaped "Aaa 000"`.
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

/** Describes a number without its value. Mentions a fraction, because the fraction may be the only fault of the number. */
const describeNumber = (number: unknown) =>
  Number.isInteger(number) ? 'a number' : 'a number with a fraction';

/**
 * Describes a text by length and shape: `a string of 7 characters, shaped "Aaa 000"`. If the text has more than 40 characters,
 * shows the shape of the first 24 and the last 8.
 */
function describeText(text: string): string {
  if (text === '') return 'an empty string';
  const shortShape =
    text.length <= 40
      ? describeShape(text)
      : `${describeShape(text.slice(0, 24))}…${describeShape(text.slice(-8))}`;
  return `a string of ${formatCount(text.length, 'character')}, ${formatShape(shortShape)}`;
}

const shapePrefix = 'shaped "';

/** Formats the shape of a text for a sentence: `shaped "Aaa 000"`. */
export const formatShape = (shape: string): string => `${shapePrefix}${shape}"`;

/** Returns whether a text has a shape such as `shaped "Aaa 000"`, as `formatShape` writes it. */
export const mentionsShape = (text: string): boolean => text.includes(shapePrefix);

/**
 * Derives the shape of a text: `Aaa 000` for `Abc 123`. Letters become `a` or `A`, digits `0`. Characters outside ASCII become `?`,
 * and so do three or more punctuation marks in a row, as in passwords, unless they are equal as in `---`.
 */
export function describeShape(text: string): string {
  return (
    text
      .replace(/[A-Z]/g, 'A')
      .replace(/[a-z]/g, 'a')
      .replace(/[0-9]/g, '0')
      // Three or more ASCII punctuation marks.
      .replace(/[!-/:-@[-`{-~]{3,}/g, (characters) =>
        isUniform(characters) ? characters : '?'.repeat(characters.length),
      )
      // Any character but printable ASCII.
      .replace(/[^ -~]/gu, '?')
  );
}

/** Returns whether all characters of a text are equal, as in `---`. */
const isUniform = (characters: string) => /^(.)\1*$/.test(characters);

const mediaTypePattern = /^(application|audio|image|message|model|multipart|text|video)\/[a-z+.-]{1,30}$/;

/**
 * Returns whether a value is a media type that may be shown, such as `application/json`: each of its words must pass the disclosure
 * filter.
 */
export const isDisclosableMediaType = (value: unknown, mayShow: DisclosureFilter): value is string =>
  typeof value === 'string' && mediaTypePattern.test(value) && value.split(/[/.+]/).every(mayShow);

/** Returns a media type if it may be shown, `no Content-Type` if there is none, and `another Content-Type` otherwise. */
export function describeMediaType(value: unknown, mayShow: DisclosureFilter): string {
  if (value === undefined) return 'no Content-Type';
  return isDisclosableMediaType(value, mayShow) ? value : 'another Content-Type';
}

/** Returns the name of a field that the contract does not declare, if the name may be shown, or else `(name withheld)`. */
export const describeName = (name: string, mayShow: DisclosureFilter): string =>
  /[A-Za-z]/.test(name) && mayShow(name) ? name : withheld;

/** Returns an error code if it may be shown, or else `(code withheld)`. */
export const describeCode = (code: string, mayShow: DisclosureFilter): string =>
  mayShow(code) ? code : '(code withheld)';

/** Text that reports show in place of a field name that may not be shown. */
export const withheld = '(name withheld)';

/** Maximum number of steps that reports show of a pointer such as `/data/card/id`. */
const maxSteps = 32;

/**
 * Redacts a pointer into a body for reports. Replaces by `(name withheld)` each name that the contract does not declare and the
 * disclosure filter rejects, and each number that is too long for an index. Ends with `…` after 32 steps.
 */
export function redactPointer(operation: Operation, pointer: string, mayShow: DisclosureFilter): string {
  const [root = '', ...steps] = pointer.split('/');
  let schema: Schema | undefined = operation.schema;
  const shownSteps = steps.slice(0, maxSteps).map((step) => {
    const [parentSchema, isIndex] = [schema, /^\d+$/.test(step)];
    schema = isIndex ? parentSchema?.items : findField(parentSchema, step);
    // A number that is too long for an index, above all where no array is documented, may be an identifier.
    const maxIndexLength = parentSchema?.items ? 8 : 3;
    if (isIndex) return step.length <= maxIndexLength ? step : withheld;
    return schema ? step : describeName(step, mayShow);
  });
  return [root, ...shownSteps, ...(steps.length > maxSteps ? ['…'] : [])].join('/');
}
