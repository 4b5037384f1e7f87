import { breachesOf } from '../../schemas/contract/bounds.ts';
import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { fieldOf } from '../../schemas/contract/nodes.ts';
import { sizeOf } from '../../schemas/json/read.ts';
import { quote } from './drafts.ts';

/**
 * What may be said of a value of a target: deny by default. A value is quoted only when its
 * schema is classified public and the value reads like a word of a vocabulary; else its type, length and shape.
 * The text is a draft: whether a quoted word is shown is decided when every answer was seen (`Disclosure`).
 */
export function describeValue(value: unknown, schema?: Schema): string {
  const open = isPublic(schema);
  if (value === undefined) return 'nothing: it is missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return open ? describeWord(value) : describeText(value);
  if (typeof value === 'object') return `an object with ${sizeOf(value)} fields`;
  if (typeof value === 'number')
    return [open ? describeNumber(value) : kindOf(value), ...breachesOf(value, schema ?? {})].join(', ');
  return open && typeof value === 'boolean' ? `the boolean ${value}` : kindOf(value);
}

/** A fraction is mentioned, since a number may be wrong for nothing else. */
const kindOf = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? 'a number with a fraction' : `a ${typeof value}`;

/** Whether a public value may be quoted, as a word or as a short number, should nothing else be against it. */
export const isQuotable = (value: string | number | boolean): boolean =>
  typeof value === 'string' ? readsLikeWord(value) : typeof value === 'boolean' || isShort(value);

const isShort = (value: number) => String(value).length <= 6;

/** A number is quoted when it is short, as a status or a result code is, and the number of a card or a phone is not. */
function describeNumber(value: number): string {
  const digits = String(value);
  return isShort(value) ? quote(digits, kindOf(value), `the number ${digits}`) : kindOf(value);
}

/** The word itself where it reads like one, or its shape. */
const describeWord = (text: string) =>
  readsLikeWord(text) ? quote(text, describeText(text), `the string "${text}"`) : describeText(text);

const word = /^_{0,2}([A-Za-z]+[0-9]{0,2}|[0-9]{1,2})([_-]([A-Za-z]+[0-9]{0,2}|[0-9]{1,2}))*_{0,2}$/;

/** Whether a text reads like one word of a vocabulary; digits stand at the end of its parts, as in `line_2`. */
export const readsLikeWord = (text: string) => text.length <= 40 && word.test(text) && /[A-Za-z]/.test(text);

function describeText(text: string): string {
  if (text === '') return 'an empty string';
  const length = text.length === 1 ? '1 character' : `${text.length} characters`;
  const short =
    text.length <= 40 ? shapeOf(text) : `${shapeOf(text.slice(0, 24))}…${shapeOf(text.slice(-8))}`;
  // A digit or letter of another alphabet may look like the one that is expected.
  const foreign = /[^\p{ASCII}]/u.test(text) ? ', not all ASCII' : '';
  return `a string of ${length}, ${shapeText(short)}${foreign}`;
}

const beforeShape = 'shaped "';

/** How a shape is shown. */
export const shapeText = (shape: string): string => `${beforeShape}${shape}"`;

/** Whether a text of ours shows a shape. */
export const showsShape = (text: string): boolean => text.includes(beforeShape);

/** Letters as `a` or `A`, digits as `0`; as `?` what is no ASCII, and runs of signs such as a password may have. */
export function shapeOf(text: string): string {
  return text
    .replace(/\p{Lu}/gu, 'A')
    .replace(/(?!A)\p{L}/gu, 'a')
    .replace(/[0-9]/g, '0')
    .replace(/[!-/:-@[-`{-~]{3,}/g, (signs) => (isUniform(signs) ? signs : '?'.repeat(signs.length)))
    .replace(/[^ -~]/gu, '?');
}

const isUniform = (signs: string) => signs === signs[0]?.repeat(signs.length);

const mediaType = /^(application|audio|image|message|model|multipart|text|video)\/[a-z+.-]{1,30}$/;
const otherType = 'another Content-Type';

/** Whether a media type may be quoted, should nothing else be against it. */
export const isQuotableMediaType = (value: unknown): value is string =>
  typeof value === 'string' && mediaType.test(value);

/** A media type is quoted when it reads like one. */
export function describeMediaType(value: unknown): string {
  if (value === undefined) return 'no Content-Type';
  return isQuotableMediaType(value) ? quote(value, `${otherType} (name withheld)`) : otherType;
}

/** A name that is said to be withheld unless it may be shown. */
export const quoteName = (name: string) => (readsLikeWord(name) ? quote(name, withheld) : withheld);

const withheld = '(name withheld)';

/** What is written out of a pointer, however deep the place lies. */
const longest = 32;

/** A pointer, with names that the contract does not know quoted. */
export function redactPointer(operation: Operation, pointer: string): string {
  const [start = '', ...steps] = pointer.split('/');
  let at: Schema | undefined = operation.schema;
  const shown = steps.slice(0, longest).map((step) => {
    const [parent, isIndex] = [at, /^\d+$/.test(step)];
    at = isIndex ? parent?.items : fieldOf(parent, step);
    return isIndex ? redactIndex(step, parent) : at ? step : quoteName(step);
  });
  return [start, ...shown, ...(steps.length > longest ? ['…'] : [])].join('/');
}

/** Digits are an index where the contract has an array; elsewhere they may be a name, and a name may be a number. */
function redactIndex(step: string, parent: Schema | undefined): string {
  if (parent?.items && step.length <= 8) return step;
  return step.length <= 3 ? step : withheld;
}
