import { type Change, has } from '../../../mock/edits.ts';
import { altering, type Fault, fault } from '../../../mock/faults/fault.ts';
import { fullRecords } from '../../../mock/operations.ts';
import { loadContract, type Operation, type Schema } from '../../../schemas/contract/contract.ts';
import { addressOf, type Node, nodesOf } from '../../../schemas/contract/nodes.ts';
import { occurring } from '../../../schemas/contract/requirements.ts';
import { validatorOf } from '../../../schemas/contract/validators.ts';
import { isObjectOrArray } from '../../../schemas/json/read.ts';
import { valuesAt } from '../../probes/digest/values-at.ts';
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
  if (!isObjectOrArray(at)) return false;
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
  const mutations = [
    ...(required && !element ? [{ name: 'missing', value: undefined }] : []),
    ...wrongTypes(schema),
    ...wrongWords(schema.enum ?? []),
    ...malformed(schema, exampleOf(node)),
    ...(schema['x-values-that-occur'] ? [notKnownToOccur(occurring(operation, pointer))] : []),
  ];
  return mutations.map((mutation) => ({ ...mutation, ...deviation(node, mutation) }));
}

/** A value at a node, of the first example that has one. */
function exampleOf({ operation, pointer }: Node): unknown {
  const { examples } = loadContract().operations.find(({ id }) => id === operation) as Operation;
  const steps = pointer.split('/').slice(1);
  return Object.values(examples).flatMap(({ value }) => [...valuesAt(value, steps)])[0];
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

/** Contract 2.3: values that occur are not all that may. */
const notKnownToOccur = (breaks: string): Mutation => ({
  name: 'a value that is not known to occur',
  value: 'Unheard',
  breaks,
});

const reported = loadContract().ledger.filter(({ target }) => !target);

/** Whether the contract itself says that such a value has been observed. */
function deviation({ operation, pointer }: Node, { breaks, value }: Mutation): Pick<Mutation, 'observed'> {
  const requirement = breaks ?? addressOf(operation, pointer);
  const tolerated = reported.some(
    ({ requirement: own, accepts, line }) =>
      own === requirement &&
      'schema' in accepts &&
      validatorOf(accepts.schema, `spec/ledger.yaml, line ${line}`)(value),
  );
  return tolerated ? { observed: 'deviation' } : {};
}

const errorResponse: Change = () => ({
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: { code: 404, message: 'not found', data: null },
});

/** A fault for each parameter that no fault is written for: a value of it that some requests send is rejected. */
export function parameterFaults(written: Fault[]): Fault[] {
  const broken = new Set(written.map(({ breaks }) => breaks));
  return loadContract().operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, schema, 'x-identifiers': variable = '' }) => {
      const breaks = `${id}/parameters/${name}`;
      const value = fullRecords[variable]?.[1] ?? schema.enum?.map(String)[0];
      const what = variable ? 'does not know the second record' : `rejects ${name}`;
      return broken.has(breaks) ? [] : [fault(what, breaks, errorResponse, has(name, value))];
    }),
  );
}
