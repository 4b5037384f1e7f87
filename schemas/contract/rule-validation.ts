import { missingIn, mistakeInKeys } from './check-validation.ts';
import type { Operation, Rule } from './contract.ts';
import { checkShape, closed, text } from './shape.ts';
import { mistakeAt, readYaml, type Step, type YamlFile } from './yaml.ts';

const pointer = { type: 'string', pattern: '^/', title: 'a JSON Pointer' };
const strings = { type: 'object', additionalProperties: text };

const shape = {
  type: 'array',
  title: 'a list of rules',
  items: closed({
    address: {
      type: 'string',
      pattern: '^(rules/[a-z]+(-[a-z]+)*|data(/[a-z_0-9]+|/\\*)+/[a-z]+(-[a-z]+)+)$',
      title: 'rules/ or the pointer of a field, and a name',
    },
    'operations?': { type: 'array', minItems: 1, items: text, title: 'a list of operations' },
    level: { enum: ['MUST', 'SHOULD'] },
    statement: text,
    source: text,
    check: closed({
      'uniqueKeys?': { const: true },
      'finiteNumbers?': { const: true },
      'declaredFields?': { const: true },
      'echoes?': text,
      'presentWith?': { ...strings, minProperties: 1, maxProperties: 1 },
      'needs?': text,
      'when?': strings,
      'pointer?': pointer,
      'unique?': pointer,
      'named?': text,
      'found?': text,
      'same?': pointer,
      'presentAs?': pointer,
      'constant?': { type: 'array', minItems: 1, items: pointer, title: 'a list of JSON Pointers' },
      'listedBy?': text,
      'key?': pointer,
      'parameter?': text,
      'again?': { type: 'integer', minimum: 1, maximum: 2, title: '1 or 2' },
    }),
  }),
};

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
  const unknownCheck = mistakeInKeys(rule.check);
  if (unknownCheck) throw fail(['check'], unknownCheck);
  for (const operation of operations.filter((one) => rulesFor(one, [rule]).length > 0)) {
    const missing = missingIn(rule.check, operation, operations);
    if (missing) throw fail(['check'], `${missing}; correct the name`);
  }
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
