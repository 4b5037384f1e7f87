import { createRequire } from 'node:module';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Document, Node, Range } from 'yaml';
import { isObjectOrArray, isRecord, ownValue, stepsOf } from '../json.ts';
import { errorsOf, validatorOf } from './validators.ts';

/** The contract in `spec/` cannot be used: one sentence with file, line and what to do. Never a fault of a target. */
export class ContractError extends Error {
  override name = 'ContractError';
}

/** A key or an index on the way to a place in a document. */
export type Step = string | number;

/** A file of `spec/` that was read. */
export interface SpecFile {
  /** As messages call it: `spec/openapi.yaml`. */
  name: string;
  value: unknown;
  /** The line of the last of these steps that is there, where a `$ref` is followed. */
  lineOf(steps: Step[]): number;
}

// Loaded only when a text is new or has a mistake: loading takes as long as reading the contract.
const yaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** Reads a file of `spec/`. @throws {ContractError} with the line of the first syntax error. */
export function readFile(name: string, text: string): SpecFile {
  const { LineCounter, parseDocument } = yaml();
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  const fail = (line: number, says: string) =>
    new ContractError(`${name}, line ${line}: ${says.split('\n')[0]}; correct the YAML`);
  const [error] = document.errors;
  if (error) throw fail(lineAt(error.pos[0]), error.message);
  try {
    return { name, value: document.toJS(), lineOf: (steps) => lineAt(offsetOf(document, steps)) };
  } catch (problem) {
    throw fail(1, (problem as Error).message);
  }
}

const startOf = ({ range }: Node) => (range as Range)[0];

/** The error for a mistake at a place, in the line of the last of these steps that is there. `says` ends in what to do. */
export const mistakeAt = ({ name, lineOf }: SpecFile, steps: Step[], says: string) =>
  new ContractError(`${name}, line ${lineOf(steps)}: ${says}`);

interface Place {
  node: unknown;
  offset: number;
}

function offsetOf(document: Document, steps: Step[]): number {
  const { contents } = document;
  const start: Place = { node: contents, offset: contents ? startOf(contents) : 0 };
  return steps.reduce<Place>((at, step) => child(document, at.node, step) ?? at, start).offset;
}

/** What a node has under a key or an index, itself or where its `$ref` leads. */
function child(document: Document, node: unknown, step: Step): Place | undefined {
  const { isMap, isSeq } = yaml();
  if (isSeq(node)) {
    const element = node.items[Number(step)] as Node | undefined;
    return element && { node: element, offset: startOf(element) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => String(key) === String(step));
  if (pair) return { node: pair.value, offset: startOf(pair.key as Node) };
  const reference = `${node.get('$ref')}`.replace(/^#\//, '').split('/');
  return child(document, document.getIn(reference, true), step);
}

/** A text that says something, as JSON Schema. */
export const text = { type: 'string', minLength: 1, title: 'text' };

/** A closed object: all keys that it may have, the required ones without a `?` behind their name. */
export const closed = (keys: Record<string, object>): object => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(keys).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(
    Object.entries(keys).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
});

/** Checks what a file holds. @throws {ContractError} at the first place that has another shape. */
export function checkShape(file: SpecFile, shape: object): void {
  const errors = errorsOf(validatorOf(shape), file.value);
  // A misspelt key is an unknown one and a missing one: the first says more.
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
  if (!error) return;
  const { additionalProperty: unknown } = error.params;
  const steps = stepsOf(error.instancePath);
  const at = unknown === undefined ? steps : [...steps, unknown];
  throw mistakeAt(file, at, `${keysOf(steps)}${sentenceOf(error)}`);
}

function sentenceOf({ keyword, params, parentSchema, message }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return unknownKey(params.additionalProperty, parentSchema?.properties ?? {});
  if (keyword === 'required') return `the key "${params.missingProperty}" is missing; add it`;
  const demand = keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : message;
  return `${parentSchema?.title ? `must be ${parentSchema.title}` : demand}; correct it`;
}

/** What is said of a key that none of the known ones is. */
export const unknownKey = (name: string, known: object) =>
  `unknown key "${name}"; correct or remove it, the known keys are ${Object.keys(known).join(', ')}`;

/** Where a mistake is in its entry, which the line tells: `check pointer: `. */
const keysOf = (steps: string[]) => {
  const keys = steps.filter((step) => !/^\d+$/.test(step));
  return keys.length > 0 ? `${keys.join(' ')}: ` : '';
};

/**
 * Replaces each `$ref` by what it names; keys beside a `$ref` replace those of what it names.
 * @throws {ContractError} when a reference leads to nothing, or back to itself.
 */
export function resolve(file: SpecFile, value: unknown, steps: Step[], trail: string[] = []): unknown {
  const below = (child: unknown, step: Step) => resolve(file, child, [...steps, step], trail);
  if (Array.isArray(value)) return value.map(below);
  if (!isRecord(value)) return value;
  const { $ref, ...own } = value;
  const keys = Object.fromEntries(Object.entries(own).map(([key, child]) => [key, below(child, key)]));
  return $ref === undefined ? keys : { ...referenced(file, $ref, [...steps, '$ref'], trail), ...keys };
}

function referenced(file: SpecFile, ref: unknown, from: Step[], trail: string[]): object {
  const fail = (says: string) => mistakeAt(file, from, `${says}; correct the reference`);
  if (typeof ref !== 'string' || !ref.startsWith('#/')) throw fail('a reference must begin with #/');
  if (trail.includes(ref)) throw fail(`${ref} refers to itself`);
  const steps = ref.slice(2).split('/');
  const value = steps.reduce(ownValue, file.value);
  if (!isObjectOrArray(value)) throw fail(`${ref} refers to nothing`);
  const named = resolve(file, value, steps, [...trail, ref]) as object;
  return steps[0] === 'components' ? { ...named, 'x-component': steps.at(-1) } : named;
}
