import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { isObjectOrArray, isRecord } from '../json/read.ts';
import { cached } from './cache.ts';
import type { Schema } from './contract.ts';
import { createAjv } from './validators.ts';
import { mistakeAt, type Step, type YamlFile } from './yaml.ts';

/** A text that says something, as JSON Schema. */
export const text = { type: 'string', minLength: 1, title: 'text' };

/** A closed object: all keys that it may have, the required ones without a `?` behind their name. */
export function closed(keys: Record<string, object>): object {
  const names = Object.entries(keys).map(([name, schema]) => [name.replace('?', ''), schema] as const);
  const required = Object.keys(keys).filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    additionalProperties: false,
    required,
    properties: Object.fromEntries(names),
  };
}

const validators = new Map<object, ValidateFunction>();

/** Checks what a file of `spec/` holds. @throws {ContractError} at the first place that has another shape. */
export function checkShape(file: YamlFile, shape: object): void {
  cached('shape', JSON.stringify([file.name, shape]) + file.text, () => {
    check(file, shape);
    return true;
  });
}

function check(file: YamlFile, shape: object): void {
  const validate = validators.get(shape) ?? createAjv({ validateSchema: false }).compile(shape as Schema);
  validators.set(shape, validate);
  if (validate(file.value)) return;
  const errors = validate.errors ?? [];
  // A misspelt key is an unknown one and a missing one: the first says more.
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
  if (error) throw mistakeAt(file, stepsOf(error), sentenceOf(file, error));
}

function stepsOf({ instancePath, params }: ErrorObject): Step[] {
  const path = instancePath.split('/').slice(1).map(unescaped);
  return params.additionalProperty === undefined ? path : [...path, params.additionalProperty];
}

const unescaped = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');

function sentenceOf({ value }: YamlFile, error: ErrorObject): string {
  const { keyword, params, instancePath, parentSchema } = error;
  const place = placeOf(value, instancePath);
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {}).join(', ');
    return `${place}unknown key "${params.additionalProperty}"; correct or remove it, the known keys are ${known}`;
  }
  if (keyword === 'required') return `${place}the key "${params.missingProperty}" is missing; add it`;
  const must = parentSchema?.title ? `must be ${parentSchema.title}` : messageOf(error);
  return `${place}${must}; correct it`;
}

function messageOf({ keyword, message = 'is not as it must be', params }: ErrorObject): string {
  return keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : message;
}

/** Where a mistake is, by names rather than numbers: `rules/unique-keys: level: `. */
function placeOf(value: unknown, pointer: string): string {
  let at = value;
  const names = pointer
    .split('/')
    .slice(1)
    .map(unescaped)
    .map((step) => {
      at = isObjectOrArray(at) ? at[step] : undefined;
      return Array.isArray(value) || isObjectOrArray(at) ? (nameOf(at) ?? step) : step;
    });
  return names.length > 0 ? `${names.join(' ')}: ` : '';
}

/** What a reader calls an entry of a list. */
function nameOf(entry: unknown): string | undefined {
  if (!isRecord(entry)) return undefined;
  const name = entry.address ?? entry.requirement ?? entry.id ?? entry.operationId;
  return typeof name === 'string' ? name : undefined;
}
