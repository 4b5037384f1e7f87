import { altering, type Fault } from '../../mock/faults/fault.ts';
import { loadContract, type Schema } from '../../schemas/contract.ts';
import { isObject } from '../../schemas/json.ts';
import { addressOf, type Node, nodesOf } from '../../schemas/nodes.ts';
import { occurring } from '../../schemas/requirements.ts';
import { malformed } from './malformed.ts';

/** A fault that the schema of a node suggests: one keyword of it broken, in every answer of the operation. */
interface Mutation {
  name: string;
  /** Undefined removes the field. */
  value: unknown;
  /** Address, where it is not that of the node. */
  breaks?: string;
  observed?: 'deviation';
}

/** At least one fault for every keyword of every schema node. */
export function derivedFaults(): Fault[] {
  return loadContract()
    .operations.flatMap(nodesOf)
    .flatMap((node) => mutationsOf(node).map((mutation) => faultOf(node, mutation)));
}

function faultOf(node: Node, { name, value, breaks, ...rest }: Mutation): Fault {
  const { operation, pointer } = node;
  return {
    name: `${operation}: ${pointer || 'body'} ${name}`,
    breaks: breaks ?? addressOf(operation, pointer),
    ...rest,
    alter: altering(operation, (answer) => {
      const holder = { body: answer.body };
      return replaceAll(holder, `/body${pointer}`.split('/').slice(1), value)
        ? { ...answer, ...holder }
        : undefined;
    }),
  };
}

/** Replaces what is at the end of a path, in every array element; says whether anything was there. */
function replaceAll(at: unknown, [step = '', ...rest]: string[], value: unknown): boolean {
  if (!isObject(at)) return false;
  const keys = step === '*' ? Object.keys(at) : [step].filter((key) => Object.hasOwn(at, key));
  return keys.map((key) => change(at, key, rest, value)).some(Boolean);
}

function change(at: Record<string, unknown>, key: string, rest: string[], value: unknown): boolean {
  if (rest.length > 0) return replaceAll(at[key], rest, value);
  if (value === undefined) delete at[key];
  else at[key] = value;
  return true;
}

function mutationsOf(node: Node): Mutation[] {
  const { schema, required, pointer, operation } = node;
  const element = pointer === '' || pointer.endsWith('/*');
  return [
    ...(required && !element ? [{ name: 'missing', value: undefined }] : []),
    ...wrongTypes(schema).map((mutation) => ({ ...mutation, ...seen(node, mutation) })),
    ...wrongWords(schema.enum ?? []),
    ...malformed(schema),
    ...(schema['x-values-that-occur'] ? [unheard(occurring(operation, pointer))] : []),
  ];
}

const samples: Record<string, unknown> = { string: 'text', boolean: true, integer: 7, array: [], object: {} };

function wrongTypes({ type }: Schema): Mutation[] {
  const others = Object.entries(samples).filter(([name]) => name !== type);
  return [
    { name: 'null', value: null },
    ...others.map(([name, value]) => ({ name: `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`, value })),
  ];
}

function wrongWords([word]: unknown[]): Mutation[] {
  if (typeof word !== 'string') return [];
  return [
    { name: 'outside the enum', value: 'Unheard' },
    { name: 'in lower case', value: word.toLowerCase() },
    { name: 'in capitals', value: word.toUpperCase() },
    { name: 'with a blank behind it', value: `${word} ` },
    { name: 'empty', value: '' },
  ];
}

/** Contract 2.7: fees have been seen as JSON numbers. */
const seen = ({ name }: Node, mutation: Mutation) =>
  name.endsWith('_fee') && mutation.name === 'an integer' ? { observed: 'deviation' as const } : {};

/** Contract 2.3: the periods are those that occur, not those that may. */
const unheard = (breaks: string): Mutation => ({
  name: 'a value that is not known to occur',
  value: 'Weekly',
  breaks,
  observed: 'deviation',
});
