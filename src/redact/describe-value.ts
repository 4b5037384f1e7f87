import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { formatCount } from '../../schemas/counted.ts';
import type { DisclosureFilter } from './disclosure.ts';

/**
 * Describes a value of a target: the value itself if its schema is public and the disclosure filter allows it, otherwise its
 * type, length and shape.
 */
export function describeValue(value: unknown, schema: Schema | undefined, mayShow: DisclosureFilter): string {
  const isShown = isPublic(schema) && typeof value !== 'object' && mayShow(String(value));
  if (value === undefined) return 'nothing: it is missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return isShown ? `the string "${value}"` : describeText(value);
  if (typeof value === 'object') return `an object with ${formatCount(Object.keys(value).length, 'field')}`;
  if (typeof value === 'number') return isShown ? `the number ${value}` : describeKind(value);
  return isPublic(schema) ? `the boolean ${value}` : describeKind(value);
}

/** Names the type of a value: "a number", "a boolean". Mentions a fraction, because it may be the only fault of a number. */
const describeKind = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? 'a number with a fraction' : `a ${typeof value}`;

/** Describes length and shape of a text; of more than 40 characters, the shape of the first 24 and the last 8. */
function describeText(text: string): string {
  if (text === '') return 'an empty string';
  const shortShape =
    text.length <= 40
      ? describeShape(text)
      : `${describeShape(text.slice(0, 24))}…${describeShape(text.slice(-8))}`;
  return `a string of ${formatCount(text.length, 'character')}, ${formatShape(shortShape)}`;
}

const shapePrefix = 'shaped "';

/** Formats a shape for a text: `shaped "Aaa 000"`. */
export const formatShape = (shape: string): string => `${shapePrefix}${shape}"`;

/** Returns whether a text contains a shape, as `formatShape` writes it. */
export const mentionsShape = (text: string): boolean => text.includes(shapePrefix);

/**
 * Derives the shape of a text: letters become `a` or `A`, digits `0`, as in `Aaa 000` for `Abc 123`. Characters outside ASCII, and
 * runs of three or more different punctuation marks as in passwords, become `?`.
 */
export function describeShape(text: string): string {
  return text
    .replace(/[A-Z]/g, 'A')
    .replace(/[a-z]/g, 'a')
    .replace(/[0-9]/g, '0')
    .replace(/[!-/:-@[-`{-~]{3,}/g, (characters) =>
      isUniform(characters) ? characters : '?'.repeat(characters.length),
    )
    .replace(/[^ -~]/gu, '?');
}

/** Returns whether all characters of a text are equal, as in `---`. */
const isUniform = (characters: string) => /^(.)\1*$/.test(characters);

const mediaTypePattern = /^(application|audio|image|message|model|multipart|text|video)\/[a-z+.-]{1,30}$/;

/** Returns whether a media type may be shown: each of its words must pass the disclosure filter. */
export const isDisclosableMediaType = (value: unknown, mayShow: DisclosureFilter): value is string =>
  typeof value === 'string' && mediaTypePattern.test(value) && value.split(/[/.+]/).every(mayShow);

/** Returns the name of a media type if it may be shown, or else `another Content-Type`. */
export function describeMediaType(value: unknown, mayShow: DisclosureFilter): string {
  if (value === undefined) return 'no Content-Type';
  return isDisclosableMediaType(value, mayShow) ? value : 'another Content-Type';
}

/** Returns the name of an undeclared field if it may be shown, or else `(name withheld)`. */
export const describeName = (name: string, mayShow: DisclosureFilter): string =>
  /[A-Za-z]/.test(name) && mayShow(name) ? name : withheld;

/** Returns an error code if it may be shown, or else `(code withheld)`. */
export const describeCode = (code: string, mayShow: DisclosureFilter): string =>
  mayShow(code) ? code : '(code withheld)';

/** Text in place of a name that may not be shown. */
export const withheld = '(name withheld)';

/** Maximum number of steps of a pointer that reports show. */
const maxSteps = 32;

/**
 * Redacts a pointer for reports: replaces each name that the contract does not declare and the filter rejects by
 * `(name withheld)`, and ends with `…` after 32 steps.
 */
export function redactPointer(operation: Operation, pointer: string, mayShow: DisclosureFilter): string {
  const [root = '', ...steps] = pointer.split('/');
  let schema: Schema | undefined = operation.schema;
  const shownSteps = steps.slice(0, maxSteps).map((step) => {
    const [parentSchema, isIndex] = [schema, /^\d+$/.test(step)];
    schema = isIndex ? parentSchema?.items : findField(parentSchema, step);
    // A number that is too long for an index, above all where no array is documented, may be an identifier.
    if (isIndex) return step.length <= (parentSchema?.items ? 8 : 3) ? step : withheld;
    return schema ? step : describeName(step, mayShow);
  });
  return [root, ...shownSteps, ...(steps.length > maxSteps ? ['…'] : [])].join('/');
}
