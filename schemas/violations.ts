import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Operation } from './contract.ts';
import { valueAt } from './json.ts';
import type { Violation } from './judgement.ts';
import { addressOf, expectation, pattern } from './nodes.ts';
import { occurring } from './requirements.ts';

/** One violation for each broken place, however many keywords of its schema are broken there. */
export function nodeViolations(operation: Operation, errors: ErrorObject[]): Violation[] {
  const found = new Map<string, Violation>();
  for (const error of errors) {
    const violation = nodeViolation(operation, error);
    const key = `${violation.requirement} ${violation.pointer}`;
    if (!found.has(key)) found.set(key, violation);
  }
  return [...found.values()];
}

function nodeViolation(operation: Operation, error: ErrorObject): Violation {
  const missing: unknown = error.params.missingProperty;
  const pointer = error.instancePath + (typeof missing === 'string' ? `/${missing}` : '');
  const schema = typeof missing === 'string' ? error.parentSchema?.properties?.[missing] : error.parentSchema;
  const value = typeof missing === 'string' ? undefined : error.data;
  const place = pattern(pointer);
  return error.keyword === 'x-values-that-occur'
    ? {
        requirement: occurring(operation.id, place),
        pointer,
        expected: `one of ${(error.schema as string[]).join(', ')}`,
        value,
      }
    : { requirement: addressOf(operation.id, place), pointer, expected: expectation(schema), value };
}

/** Fields that came under a name that the contract knows to be in use, in place of their own. */
export function renamed(operation: Operation, undeclared: string[], body: unknown): Violation[] {
  return undeclared.flatMap((pointer) => {
    const [parent, name] = [pointer.slice(0, pointer.lastIndexOf('/')), pointer.split('/').at(-1) ?? ''];
    const field = Object.entries(schemaAt(operation, parent)?.properties ?? {}).find(
      ([own, schema]) =>
        schema['x-observed-names']?.includes(name) && valueAt(body, `${parent}/${own}`) === undefined,
    );
    if (!field) return [];
    const at = `${parent}/${field[0]}`;
    const requirement = addressOf(operation.id, pattern(at));
    const value = valueAt(body, pointer);
    const actual = `a field named ${name} in its place, ${value === null ? 'null' : `a ${typeof value}`}`;
    return [{ requirement, pointer: at, expected: `a field named ${field[0]}`, value: undefined, actual }];
  });
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
