import type { Operation, Rule, Schema } from './contract.ts';
import { checkShape, closed } from './shape.ts';
import { mistakeAt, readYaml, type Step, type YamlFile } from './yaml.ts';

const text = { type: 'string', minLength: 1, title: 'text' };

const shape = {
  type: 'array',
  title: 'a list of rules',
  items: closed({
    address: { type: 'string', pattern: '^rules/[a-z]+(-[a-z]+)*$', title: 'rules/ and a name' },
    'operations?': { type: 'array', minItems: 1, items: text, title: 'a list of operations' },
    level: { enum: ['MUST', 'SHOULD'] },
    statement: text,
    source: text,
    check: closed({
      'uniqueKeys?': { const: true },
      'finiteNumbers?': { const: true },
      'declaredFields?': { const: true },
      'echoes?': text,
      'needs?': text,
      'when?': { type: 'object', additionalProperties: text },
      'pointer?': { type: 'string', pattern: '^/', title: 'a JSON Pointer' },
    }),
  }),
};

const checks = ['uniqueKeys', 'finiteNumbers', 'declaredFields', 'echoes pointer', 'needs pointer when'];

/** Reads `requirements.yaml`. @throws {ContractError}: a rule with a mistake would judge nothing. */
export function readRules(content: string, operations: Operation[]): Rule[] {
  const file = readYaml('requirements.yaml', content);
  checkShape(file, shape);
  const rules = (file.value as Omit<Rule, 'line'>[]).map((rule, index) => ({
    ...rule,
    line: file.lines[index] ?? 1,
  }));
  for (const [index, rule] of rules.entries()) checkRule(file, index, rule, operations);
  for (const operation of operations) checkTwice(file, rules, operation);
  return rules;
}

/** The rules that hold for an operation. */
export const rulesFor = ({ id }: Operation, rules: Rule[]): Rule[] =>
  rules.filter(({ operations }) => !operations || operations.includes(id));

function checkRule(file: YamlFile, index: number, rule: Rule, operations: Operation[]): void {
  const fail = (steps: Step[], says: string) =>
    mistakeAt(file, [index, ...steps], `${rule.address}: ${says}`);
  const unknown = rule.operations?.find((name) => !operations.some(({ id }) => id === name));
  if (unknown) throw fail(['operations'], `there is no operation ${unknown}; correct the name`);
  const names = Object.keys(rule.check).sort().join(' ');
  if (!checks.includes(names))
    throw fail(['check'], `a check of "${names}" is unknown; use one of ${checks.join(', ')}`);
  for (const operation of operations.filter((one) => rulesFor(one, [rule]).length > 0)) {
    const says = mistakeIn(rule, operation);
    if (says) throw fail(['check'], `${operation.id} has no ${says}; correct the name`);
  }
}

function mistakeIn({ check }: Rule, { parameters, schema }: Operation): string | undefined {
  if (!('pointer' in check)) return undefined;
  const named = 'echoes' in check ? [check.echoes] : [check.needs, ...Object.keys(check.when)];
  const missing = named.find((name) => !parameters.some((parameter) => parameter.name === name));
  if (missing) return `parameter ${missing}`;
  return isField(schema, check.pointer) ? undefined : `field ${check.pointer}`;
}

function isField(schema: Schema, pointer: string): boolean {
  const steps = pointer.split('/').slice(1);
  const field = (at: Schema | undefined, step: string) =>
    at?.properties && Object.hasOwn(at.properties, step) ? at.properties[step] : undefined;
  return steps.reduce<Schema | undefined>(field, schema) !== undefined;
}

function checkTwice(file: YamlFile, rules: Rule[], operation: Operation): void {
  const own = rulesFor(operation, rules);
  const second = own.find(({ address }, index) => own.findIndex((one) => one.address === address) < index);
  if (second)
    throw mistakeAt(
      file,
      [rules.indexOf(second), 'address'],
      `${operation.id} has a rule ${second.address} already; choose another address`,
    );
}
