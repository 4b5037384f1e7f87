import { lastStep, sibling } from '../json.ts';
import { checkShape, closed, mistakeAt, type SpecFile, type Step, text } from './files.ts';
import { knownValues, schemaAt } from './nodes.ts';
import type { Check, Operation, Rule } from './types.ts';

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
      'presentWith?': { ...strings, minProperties: 1 },
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
    }),
  }),
};

/** The keys of each kind of check, in the order of the alphabet. */
const kinds = [
  'uniqueKeys',
  'finiteNumbers',
  'declaredFields',
  'echoes pointer',
  'echoes pointer when',
  'pointer presentWith',
  'needs pointer when',
  'named unique',
  'found key listedBy',
  'key listedBy parameter same',
  'key listedBy parameter presentAs',
  'constant parameter',
];

/** Reads `requirements.yaml`. @throws {ContractError}: a rule with a mistake would judge nothing. */
export function readRules(file: SpecFile, operations: Operation[]): Rule[] {
  checkShape(file, shape);
  const read = file.value as Omit<Rule, 'line'>[];
  const rules = read.map((rule, index) => ({ ...rule, line: file.lineOf([index]) }));
  for (const [index, rule] of rules.entries()) {
    const mistake = mistakeIn(rule, operations, rules.slice(0, index));
    if (mistake) throw mistakeAt(file, [index, ...mistake.steps], `${rule.address}: ${mistake.says}`);
  }
  return rules;
}

/** The rules that hold for an operation. */
export const rulesFor = ({ id }: Operation, rules: Rule[]): Rule[] =>
  rules.filter(({ operations }) => !operations || operations.includes(id));

function mistakeIn(
  rule: Rule,
  operations: Operation[],
  before: Rule[],
): { steps: Step[]; says: string } | undefined {
  const unknown = rule.operations?.find((name) => !operations.some(({ id }) => id === name));
  if (unknown) return { steps: ['operations'], says: `there is no operation ${unknown}; correct the name` };
  const keys = Object.keys(rule.check).sort().join(' ');
  if (!kinds.includes(keys))
    return { steps: ['check'], says: `a check of "${keys}" is unknown; use one of ${kinds.join(', ')}` };
  for (const operation of operations.filter((one) => rulesFor(one, [rule]).length > 0)) {
    const missing = missingIn(rule.check, operation, operations);
    if (missing) return { steps: ['check'], says: `${missing}; correct the name` };
    if (rulesFor(operation, before).some(({ address }) => address === rule.address))
      return { steps: ['address'], says: `${operation.id} has it already; choose another address` };
  }
  return undefined;
}

/** What a check names, by where it has to be. */
interface Names {
  parameters?: string[];
  fields?: string[];
  /** Known values of fields. */
  values?: Record<string, string>;
  /** Places of the list that `listedBy` answers. */
  listed?: { operation: string; fields: string[] };
}

/** Whatever a check names that an operation, or the one that lists its records, does not have; undefined if nothing. */
function missingIn(check: Check, operation: Operation, operations: Operation[]): string | undefined {
  const { parameters = [], fields = [], values = {}, listed } = namesIn(check);
  const parameter = parameters.find((name) => !operation.parameters.some((one) => one.name === name));
  if (parameter) return `${operation.id} has no parameter ${parameter}`;
  const field = fields.find((one) => !schemaAt(operation, one));
  if (field) return `${operation.id} has no field ${field}`;
  const [other, value] =
    Object.entries(values).find(
      ([one, expected]) => !knownValues(schemaAt(operation, one) ?? {}).includes(expected),
    ) ?? [];
  if (other) return `${operation.id} has no value ${value} of ${other}`;
  const list = operations.find(({ id }) => id === listed?.operation);
  if (listed && !list) return `there is no operation ${listed.operation}`;
  const unlisted = list && listed?.fields.find((one) => !schemaAt(list, one));
  return unlisted && `${list?.id} has no field ${unlisted}`;
}

function namesIn(check: Check): Names {
  if ('echoes' in check)
    return { parameters: [check.echoes, ...Object.keys(check.when ?? {})], fields: [check.pointer] };
  if ('needs' in check)
    return { parameters: [check.needs, ...Object.keys(check.when)], fields: [check.pointer] };
  if ('presentWith' in check) {
    const others = Object.entries(check.presentWith);
    const values = Object.fromEntries(others.map(([name, value]) => [sibling(check.pointer, name), value]));
    return { fields: [check.pointer, ...Object.keys(values)], values };
  }
  if ('unique' in check) return { fields: [check.unique, sibling(check.unique, check.named)] };
  if ('constant' in check) return { parameters: [check.parameter], fields: check.constant };
  if (!('listedBy' in check)) return {};
  const { listedBy: operation, key } = check;
  if ('found' in check) return { parameters: [check.found], listed: { operation, fields: [key] } };
  const field = 'same' in check ? check.same : check.presentAs;
  const fields = [key, sibling(key, lastStep(field))];
  return { parameters: [check.parameter], fields: [field], listed: { operation, fields } };
}
