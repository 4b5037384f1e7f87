import { loadContract, type Operation, type Schema } from '../../../schemas/contract/contract.ts';
import { addressOf, type Node, nodesOf } from '../../../schemas/contract/nodes.ts';
import { occurring } from '../../../schemas/contract/requirements.ts';
import { validatorOf } from '../../../schemas/contract/validators.ts';
import { placesAt } from '../../../schemas/json.ts';
import { altering, type Change, has } from '../harness/edits.ts';
import { type Fault, fault } from './faults/fault.ts';
import { fullRecords } from './full-records.ts';
import { placementOf, plantAt } from './placement.ts';

/** A fault that the schema of a node suggests: one keyword of it broken, in every answer of the operation. */
interface Mutation {
  name: string;
  /** Undefined removes the field. */
  value: unknown;
  /** Address, where it is not that of the node. */
  breaks?: string;
  observed?: 'deviation';
}

/** At least one fault for every keyword of every schema node; within lists, in one place after the other. */
export function derivedFaults(): Fault[] {
  return loadContract()
    .operations.flatMap(nodesOf)
    .flatMap((node) => mutationsOf(node).map((mutation) => faultOf(node, mutation)));
}

function faultOf(node: Node, { name, value, breaks, ...rest }: Mutation): Fault {
  const { operation, pointer } = node;
  const placement = placementOf(`${operation} ${pointer} ${name}`);
  const where = pointer.includes('*') ? `, in the ${placement} one`.replace('the every', 'every') : '';
  return {
    name: `${operation}: ${pointer || 'body'} ${name}${where}`,
    breaks: breaks ?? addressOf(operation, pointer),
    ...rest,
    alter: altering(operation, (answer) => {
      const holder = { body: answer.body };
      return plantAt(holder, `/body${pointer}`, value, placement) ? { ...answer, ...holder } : undefined;
    }),
  };
}

/** Everything that the schema of a node rules out, and one value for each way. */
export function mutationsOf(node: Node): Mutation[] {
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

/** A value that conforms to a node: the longest one of the examples that a field has, or made of its schema. */
export function exampleOf({ operation, kind, pointer, schema }: Node): unknown {
  const { examples } = loadContract().operations.find(({ id }) => id === operation) as Operation;
  const length = (value: unknown) => JSON.stringify(value).length;
  const [known] = (kind === 'field' ? Object.values(examples) : [])
    .flatMap(({ value: body }) => placesAt(body, pointer).map(({ value }) => value))
    .filter((value) => value !== undefined)
    .sort((one, other) => length(other) - length(one));
  return known ?? schema.const ?? schema.enum?.[0] ?? samples[schema.type ?? 'object'];
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
  ].filter(({ value }) => value !== word);
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
    ({ requirement: own, accepts }) =>
      own === requirement && 'schema' in accepts && validatorOf(accepts.schema)(value),
  );
  return tolerated ? { observed: 'deviation' } : {};
}

/** An error response of a usual form. */
export const rejecting =
  (code: number): Change =>
  () => ({
    status: code,
    headers: { 'content-type': 'application/json' },
    body: { code, message: 'rejected', data: null },
  });

/** Faults for each parameter that none is written for: a value of it that some requests send is rejected. */
export function parameterFaults(written: Fault[]): Fault[] {
  const broken = new Set(written.map(({ breaks }) => breaks));
  return loadContract().operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, schema, 'x-identifiers': variable }) => {
      const breaks = `${id}/parameters/${name}`;
      if (broken.has(breaks)) return [];
      if (variable) {
        const second = has(name, fullRecords[variable]?.[1]);
        return [fault(`does not know the second record, by ${name}`, breaks, rejecting(404), second)];
      }
      if (schema.enum)
        return schema.enum.map((value) =>
          fault(`rejects ${value}`, breaks, rejecting(422), has(name, `${value}`)),
        );
      return [400, 404].map((code) =>
        fault(`rejects ${name} with HTTP ${code}`, breaks, rejecting(code), has(name)),
      );
    }),
  );
}

/** Strings that a title of the contract does not allow, each wrong in another way, with bars between them. */
const wrong: Record<string, string> = {
  'an identifier in UUID form, of hexadecimal digits':
    '|7c0f3a525d0e4a439d5b0a6f2f1f9c11|{7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11}|urn:uuid:7c0f3a52-5d0e-4a43-9d5b-' +
    '0a6f2f1f9c11|7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c1|7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c1g|' +
    '7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11\n|card-1',
  'a decimal number written as a string':
    '|1,000.00|1.000,00|10,5|1.2.3| 1.00|1.00 |1.00\n|1e3|0x1F|+1.00|.5|5.|--1|$5.00|5.00 USD|1 000|ten|NaN|Infinity|' +
    'null|٣.١٤',
  'six digits, as a string': '|12345|1234567|12345a| 12345|1234 6|４00000|400000\n',
  'four digits, as a string': '|123|12345|12a4|1 34|-123|****|0002\n',
  'an ISO 8601 UTC timestamp with fractional seconds, of a time that exists':
    '|2024-02-29|2024-02-29T08:15:30Z|2024-02-29T08:15:30.Z|2024-02-29T08:15:30.250|2024-02-29T08:15:30.250+08:00|' +
    '2024-02-29 08:15:30.250Z|2023-02-29T08:15:30.250Z|2024-04-31T08:15:30.250Z|2024-13-01T08:15:30.250Z|' +
    '2024-00-10T08:15:30.250Z|2024-01-00T08:15:30.250Z|2024-02-29T24:15:30.250Z|2024-02-29T08:60:30.250Z|' +
    '2024-02-29T08:15:61.250Z|1709194530.250|Thu, 29 Feb 2024 08:15:30 GMT|24-02-29T08:15:30.250Z|' +
    '2024-02-29T08:15:30.250Z\n',
  'a month from 01 to 12 and a year, as MM/YY':
    '|13/28|00/28|1/28|01/2028|0128|01-28|28/13|01/2|Jan/28| 01/28|01/28\n',
  'a country code with a leading plus sign': '|44|0044|+|++44|+ 44| +44|44+|+uk|+44\n',
};

/** Mutations that break pattern, format or const of a schema. @param example a value that conforms, if there is one */
function malformed(schema: Schema, example: unknown) {
  if (schema.const !== undefined) return [{ name: 'another value', value: 500 }];
  if (!schema.pattern && !schema.format) return [];
  const known = wrong[schema.title ?? '']?.split('|') ?? derivedFrom(schema, example);
  return known.map((value) => ({ name: JSON.stringify(value), value }));
}

/** What a schema rejects of a conforming value that was cut, padded or doubled, or has other digits. @throws when that is nothing */
function derivedFrom(schema: Schema, example: unknown): string[] {
  const text = String(example ?? '');
  const nines = text.replaceAll(/[0-9]{2}/g, '99');
  const changed = ['', ` ${text}`, `${text}\n`, text.slice(1), text + text, `x${text}`, nines];
  const values = [...new Set(changed)].filter((one) => !validatorOf(schema)(one));
  if (values.length > 0) return values;
  const kind = schema.title ?? schema.pattern ?? schema.format;
  throw new Error(`no wrong value is known for "${kind}": give a field of that kind a value in an example`);
}
