import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Operation, Schema } from './contract.ts';
import { valueAt } from './json.ts';
import type { Violation } from './judgement.ts';
import { addressOf, expectation, pattern } from './nodes.ts';
import { occurring } from './requirements.ts';
import { answerValidator, type PartValidator, validatorOf } from './validators.ts';

/** A part of an answer: the answer itself, or an element of a list in it. */
interface Part {
  operation: string;
  pointer: string;
  /** The pointer with every index as `*`. */
  place: string;
  value: unknown;
}

/** Each place of an answer that breaks its schema, one by one. `inexact` are numbers that only look like integers. */
export function* nodeViolations(
  operation: Operation,
  body: unknown,
  inexact: ReadonlyMap<string, number>,
): Generator<Violation> {
  yield* partViolations(answerValidator(operation), {
    operation: operation.id,
    pointer: '',
    place: '',
    value: body,
  });
  for (const [pointer, value] of inexact) {
    const schema = schemaAt(operation, pointer);
    const requirement = addressOf(operation.id, pattern(pointer));
    if (schema && validatorOf(schema, requirement)(valueAt(body, pointer)))
      yield { requirement, pointer, expected: expectation(schema), value };
  }
}

function* partViolations({ validate, lists }: PartValidator, part: Part): Generator<Violation> {
  if (!validate(part.value)) yield* distinct(part, validate.errors ?? []);
  for (const { pointer, elements } of lists) {
    const list = valueAt(part.value, pointer);
    if (Array.isArray(list)) yield* listViolations(elements, list, below(part, pointer));
  }
}

function* listViolations(validator: PartValidator, list: unknown[], part: Part): Generator<Violation> {
  for (const [index, value] of list.entries()) {
    if (validator.lists.length === 0 && validator.validate(value)) continue;
    const element = { pointer: `${part.pointer}/${index}`, place: `${part.place}/*`, value };
    yield* partViolations(validator, { ...part, ...element });
  }
}

const below = (part: Part, pointer: string): Part => ({
  ...part,
  pointer: part.pointer + pointer,
  place: part.place + pointer,
});

/** One violation for each broken place, however many keywords of its schema are broken there. */
function* distinct(part: Part, errors: ErrorObject[]): Generator<Violation> {
  const found = new Set<string>();
  for (const error of errors) {
    const violation = nodeViolation(part, error);
    if (!found.has(violation.requirement)) yield violation;
    found.add(violation.requirement);
  }
}

function nodeViolation(part: Part, error: ErrorObject): Violation {
  const missing: unknown = error.params.missingProperty;
  const isMissing = typeof missing === 'string';
  const { pointer, place } = below(part, error.instancePath + (isMissing ? `/${missing}` : ''));
  const schema: Schema = isMissing ? error.parentSchema?.properties?.[missing] : error.parentSchema;
  const value = isMissing ? undefined : error.data;
  if (error.keyword === 'x-values-that-occur') {
    const expected = `one of ${(error.schema as string[]).join(', ')}`;
    return { requirement: occurring(part.operation, place), pointer, expected, value };
  }
  return { requirement: addressOf(part.operation, place), pointer, expected: expectation(schema), value };
}

/** The schema that describes the place of a pointer, if the contract describes it. */
export function schemaAt(operation: Operation, pointer: string) {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Operation['schema'] | undefined>(
    (schema, step) => (/^(\d+|\*)$/.test(step) ? schema?.items : fieldOf(schema, step)),
    operation.schema,
  );
}

const fieldOf = ({ properties = {} }: Operation['schema'] = {}, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;
