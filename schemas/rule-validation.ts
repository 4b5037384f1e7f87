import type { Operation, Schema } from './contract.ts';
import { isObject } from './json.ts';

const words = ['address', 'operations', 'level', 'statement', 'source', 'check'];
const checks = ['uniqueKeys', 'finiteNumbers', 'declaredFields', 'echoes pointer', 'needs pointer when'];

/** What is wrong with an entry of `spec/requirements.yaml`: a rule that is misspelt would judge nothing. */
export function validateRule(rule: unknown, operations: Operation[]): string[] {
  if (!isObject(rule)) return ['needs an address'];
  const missing = words.filter((word) => word !== 'operations' && !rule[word]);
  const unknown = Object.keys(rule).filter((word) => !words.includes(word));
  const named = Array.isArray(rule.operations) ? rule.operations : operations.map(({ id }) => id);
  const unknownNames = named.filter((name) => !operations.some(({ id }) => id === name));
  const concerned = operations.filter(({ id }) => named.includes(id));
  return [
    ...unknown.map((word) => `unknown word ${word}`),
    ...missing.map((word) => `needs a word on its ${word}`),
    ...unknownNames.map((name) => `unknown operation ${name}`),
    ...(['MUST', 'SHOULD'].includes(String(rule.level)) ? [] : ['its level is neither MUST nor SHOULD']),
    ...(isObject(rule.check) ? concerned.flatMap(validateCheck(rule.check)) : []),
  ];
}

const validateCheck =
  (check: Record<string, unknown>) =>
  ({ id, parameters, schema }: Operation): string[] => {
    const names = Object.keys(check);
    if (!checks.includes(names.sort().join(' '))) return [`unknown check ${names.join(', ')}`];
    const { echoes, needs, when, pointer } = check;
    const asked = [echoes, needs, ...Object.keys(when ?? {})].filter((name) => name !== undefined);
    const unknownNames = asked.filter((name) => !parameters.some((parameter) => parameter.name === name));
    return [
      ...unknownNames.map((name) => `${id} has no parameter ${name}`),
      ...(pointer === undefined || isField(schema, String(pointer)) ? [] : [`${id} has no field ${pointer}`]),
    ];
  };

function isField(schema: Schema, pointer: string): boolean {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Schema | undefined>((at, step) => at?.properties?.[step], schema) !== undefined;
}
