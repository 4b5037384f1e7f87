import { isPublic } from '../../schemas/contract/classification.ts';
import type { Operation, Schema } from '../../schemas/contract/contract.ts';
import { findField } from '../../schemas/contract/nodes.ts';
import { counted } from '../../schemas/counted.ts';
import type { Shows } from './disclosure.ts';

/**
 * What is said of a value of a target: the value where its schema is public and the rule of disclosure shows it; else
 * its type, length and shape.
 */
export function describeValue(value: unknown, schema: Schema | undefined, shows: Shows): string {
  const isShown = isPublic(schema) && typeof value !== 'object' && shows(String(value));
  if (value === undefined) return 'nothing: it is missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return isShown ? `the string "${value}"` : describeText(value);
  if (typeof value === 'object') return `an object with ${counted(Object.keys(value).length, 'field')}`;
  if (typeof value === 'number') return isShown ? `the number ${value}` : kindOf(value);
  return isPublic(schema) ? `the boolean ${value}` : kindOf(value);
}

/** A fraction is mentioned, since a number may be wrong for nothing else. */
const kindOf = (value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? 'a number with a fraction' : `a ${typeof value}`;

function describeText(text: string): string {
  if (text === '') return 'an empty string';
  const short =
    text.length <= 40 ? shapeOf(text) : `${shapeOf(text.slice(0, 24))}…${shapeOf(text.slice(-8))}`;
  return `a string of ${counted(text.length, 'character')}, ${shapeText(short)}`;
}

const beforeShape = 'shaped "';

/** How a shape is shown. */
export const shapeText = (shape: string): string => `${beforeShape}${shape}"`;

/** Whether a text of ours shows a shape. */
export const showsShape = (text: string): boolean => text.includes(beforeShape);

/** Letters as `a` or `A`, digits as `0`; as `?` what is no ASCII, though it may look so, and runs of signs such as a password may have. */
export function shapeOf(text: string): string {
  return text
    .replace(/[A-Z]/g, 'A')
    .replace(/[a-z]/g, 'a')
    .replace(/[0-9]/g, '0')
    .replace(/[!-/:-@[-`{-~]{3,}/g, (signs) => (isUniform(signs) ? signs : '?'.repeat(signs.length)))
    .replace(/[^ -~]/gu, '?');
}

const isUniform = (signs: string) => /^(.)\1*$/.test(signs);

const mediaType = /^(application|audio|image|message|model|multipart|text|video)\/[a-z+.-]{1,30}$/;

/** Whether the name of a media type may be shown: each of its words follows the rule of disclosure. */
export const isShownMediaType = (value: unknown, shows: Shows): value is string =>
  typeof value === 'string' && mediaType.test(value) && value.split(/[/.+]/).every(shows);

/** A media type where it may be shown, or that it is another one. */
export function describeMediaType(value: unknown, shows: Shows): string {
  if (value === undefined) return 'no Content-Type';
  return isShownMediaType(value, shows) ? value : 'another Content-Type';
}

/** The name of a field that the contract does not know, or that it is withheld. */
export const describeName = (name: string, shows: Shows): string =>
  /[A-Za-z]/.test(name) && shows(name) ? name : withheld;

/** The code of an error, or that it is withheld. */
export const describeCode = (code: string, shows: Shows): string => (shows(code) ? code : '(code withheld)');

/** What stands in place of a name that may not be shown. */
export const withheld = '(name withheld)';

/** What is written out of a pointer, however deep the place lies. */
const longest = 32;

/** A pointer, with names that the contract does not know as far as they may be shown. */
export function redactPointer(operation: Operation, pointer: string, shows: Shows): string {
  const [start = '', ...steps] = pointer.split('/');
  let at: Schema | undefined = operation.schema;
  const shown = steps.slice(0, longest).map((step) => {
    const [parent, isIndex] = [at, /^\d+$/.test(step)];
    at = isIndex ? parent?.items : findField(parent, step);
    if (isIndex) return step.length <= (parent?.items ? 8 : 3) ? step : withheld;
    return at ? step : describeName(step, shows);
  });
  return [start, ...shown, ...(steps.length > longest ? ['…'] : [])].join('/');
}
