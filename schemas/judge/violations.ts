import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Operation, Schema } from '../contract/contract.ts';
import { addressOf, expectation, fieldOf, pattern } from '../contract/nodes.ts';
import { occurring } from '../contract/requirements.ts';
import { answerValidator, errorsOf, type PartValidator, validatorOf } from '../contract/validators.ts';
import { isRecord, valueAt } from '../json/read.ts';
import { BrokenElements } from './broken-elements.ts';
import type { Violation } from './judgement.ts';

/** A part of an answer: the answer itself, or an element of a list in it. */
interface Part {
  operation: string;
  pointer: string;
  /** The pointer with every index as `*`. */
  place: string;
  value: unknown;
  /** Names that the ledger accepts in place of those of fields. */
  otherNames: string[];
}

/** Each place of an answer that breaks its schema, one by one. `inexact` are numbers that only look like integers. */
export function* nodeViolations(
  operation: Operation,
  body: unknown,
  inexact: Iterable<[pointer: string, beside: number]>,
): Generator<Violation> {
  yield* partViolations(answerValidator(operation), {
    operation: operation.id,
    pointer: '',
    place: '',
    value: body,
    otherNames: operation.otherNames,
  });
  for (const [pointer, value] of inexact) {
    const schema = schemaAt(operation, pointer);
    const requirement = addressOf(operation.id, pattern(pointer));
    if (schema && validatorOf(schema, requirement)(valueAt(body, pointer)))
      yield { requirement, pointer, expected: expectation(schema), value };
  }
}

function* partViolations({ validate, lists }: PartValidator, part: Part): Generator<Violation> {
  const errors = errorsOf(validate, part.value);
  if (errors.length > 0) yield* distinct(part, errors);
  for (const { pointer, elements } of lists) {
    const list = valueAt(part.value, pointer);
    if (Array.isArray(list)) yield* listViolations(elements, list, below(part, pointer));
  }
}

function* listViolations(validator: PartValidator, list: unknown[], part: Part): Generator<Violation> {
  const place = `${part.place}/*`;
  const broken = list.length > longList ? new BrokenElements(fieldsOf(validator, part)) : undefined;
  let index = -1;
  for (const value of list) {
    index += 1;
    if (broken?.count(value)) continue;
    if (validator.lists.length === 0 && validator.validate(value)) continue;
    const element = { ...part, pointer: `${part.pointer}/${index}`, place, value };
    const violations = partViolations(validator, element);
    yield* broken ? broken.keep(value, violations) : violations;
  }
  if (broken) yield* broken.repetitions();
}

const fieldwise = /^(type|properties|required|title|description|x-.*)$/;

/** Names that matter in an element, if its schema says nothing of other ones, or of all. */
function fieldsOf({ validate: { schema } }: PartValidator, { otherNames }: Part): string[] | undefined {
  if (!isRecord(schema) || !isRecord(schema.properties)) return undefined;
  const isFieldwise = Object.keys(schema).every((keyword) => fieldwise.test(keyword));
  return isFieldwise ? [...Object.keys(schema.properties), ...otherNames] : undefined;
}

/** In longer lists, elements that are the same are judged once. */
const longList = 10_000;

const below = ({ operation, pointer, place, value, otherNames }: Part, more: string): Part => ({
  operation,
  pointer: pointer + more,
  place: place + more,
  value,
  otherNames,
});

/** One violation for each broken place, however many keywords of its schema are broken there. */
function* distinct(part: Part, errors: ErrorObject[]): Generator<Violation> {
  const found = new Set<string>();
  for (const error of errors) {
    const { requirement, suffix, place, expected, schema } = siteOf(part, error);
    const value = error.params.missingProperty === undefined ? error.data : undefined;
    if (!found.has(requirement))
      yield { requirement, pointer: part.pointer + suffix, place, expected, schema, value };
    found.add(requirement);
  }
}

/** What is the same of all violations that break a schema node. */
interface Site {
  requirement: string;
  place: string;
  expected: string;
  schema: Schema;
  /** Pointer from the part to the broken place. */
  suffix: string;
}

/** Sites by the schema that is broken, and by the field that is missing or the keyword: described once for all answers. */
const sites = new WeakMap<Schema, Map<string, Site>>();

function siteOf(part: Part, error: ErrorObject): Site {
  const schema: Schema = error.parentSchema ?? {};
  const missing: unknown = error.params.missingProperty;
  const detail = typeof missing === 'string' ? `/${missing}` : '';
  const ofSchema = sites.get(schema) ?? new Map<string, Site>();
  sites.set(schema, ofSchema);
  const key = detail || error.keyword;
  const site = ofSchema.get(key) ?? newSite(part, error, detail);
  ofSchema.set(key, site);
  return site;
}

function newSite(part: Part, error: ErrorObject, detail: string): Site {
  const { operation } = part;
  const suffix = error.instancePath + detail;
  const place = part.place + suffix;
  const schema: Schema = detail ? error.parentSchema?.properties?.[detail.slice(1)] : error.parentSchema;
  const isOccurring = error.keyword === 'x-values-that-occur';
  const requirement = isOccurring ? occurring(operation, place) : addressOf(operation, place);
  const expected = isOccurring ? `one of ${(error.schema as string[]).join(', ')}` : expectation(schema);
  return { requirement, place, expected, schema, suffix };
}

/** The schema that describes the place of a pointer, if the contract describes it. */
export function schemaAt(operation: Operation, pointer: string) {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Operation['schema'] | undefined>(
    (schema, step) => (/^(\d+|\*)$/.test(step) ? schema?.items : fieldOf(schema, step)),
    operation.schema,
  );
}
