import type { Operation, Schema } from '../../schemas/contract.ts';
import { schemaAt } from '../../schemas/violations.ts';

/**
 * What may be said of a value that came from a target: deny by default. A value is shown only when its
 * schema is classified public and the value reads like a word of a vocabulary; else its type, length and shape.
 */
export function describeValue(value: unknown, schema?: Schema): string {
  const open = schema?.['x-data-classification']?.sensitivity === 'public';
  if (value === undefined) return 'nothing: it is missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return open && isWord(value) ? `the string "${value}"` : describeText(value);
  if (typeof value === 'object') return `an object with ${Object.keys(value).length} fields`;
  return open && isShort(value) ? `the ${typeof value} ${value}` : kindOf(value);
}

/** A fraction is told, since a number may be wrong for nothing else. */
const kindOf = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? 'a number with a fraction' : `a ${typeof value}`;

/** As a status or a result code is, and the number of a card or a phone is not. */
const isShort = (value: unknown) => String(value).length <= 6;

/** Whether a text reads like a word of a vocabulary. */
export const isWord = (text: string) => text.length <= 24 && /^[A-Za-z]+([ _-][A-Za-z]+)*$/.test(text);

function describeText(text: string): string {
  if (text === '') return 'an empty string';
  const length = text.length === 1 ? '1 character' : `${text.length} characters`;
  const short =
    text.length <= 40 ? shapeOf(text) : `${shapeOf(text.slice(0, 24))}…${shapeOf(text.slice(-8))}`;
  // A digit or letter of another alphabet may look like the one that is expected.
  const foreign = /[^\p{ASCII}]/u.test(text) ? ', not all ASCII' : '';
  return `a string of ${length}, shaped "${short}"${foreign}`;
}

/** Letters as `a` or `A`, digits as `0`; what is neither ASCII punctuation nor a blank as `?`. */
export function shapeOf(text: string): string {
  return text
    .replace(/\p{Lu}/gu, 'A')
    .replace(/(?!A)\p{L}/gu, 'a')
    .replace(/[0-9]/g, '0')
    .replace(/[^ -~]/gu, '?');
}

const mediaType = /^(application|audio|image|message|model|multipart|text|video)\/[a-z+.-]{1,30}$/;

/** A media type is shown when it reads like one. */
export function describeMediaType(value: unknown): string {
  if (value === undefined) return 'no Content-Type';
  return typeof value === 'string' && mediaType.test(value) ? value : 'another Content-Type';
}

/** A pointer, with the names of undeclared fields masked unless they read like names. */
export function redactPointer(operation: Operation, pointer: string): string {
  const steps = pointer.split('/');
  return steps
    .map((step, depth) => {
      const declared = depth === 0 || schemaAt(operation, steps.slice(0, depth + 1).join('/')) !== undefined;
      const index = /^\d{1,6}$/.test(step);
      return index || isName(step) || (declared && !/^\d+$/.test(step)) ? step : '(name withheld)';
    })
    .join('/');
}

const isName = (text: string) =>
  text.length <= 40 && /^_{0,2}[A-Za-z]+(_[0-9]|[_-][A-Za-z]+)*[0-9]?_{0,2}$/.test(text);
