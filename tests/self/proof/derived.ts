import {
  loadContract,
  type Operation,
  type Parameter,
  type Schema,
} from '../../../schemas/contract/contract.ts';
import { formatAddress, listNodes, type Node } from '../../../schemas/contract/nodes.ts';
import { formatOccurringValuesAddress } from '../../../schemas/contract/requirements.ts';
import { compileValidator } from '../../../schemas/contract/validators.ts';
import { findMatchingFields } from '../../../schemas/json.ts';
import { allOf, altering, type Change, hasParameter } from '../harness/edits.ts';
import { type Fault, fault } from './faults/fault.ts';
import { fullRecords } from './full-records.ts';
import { choosePlacement, type Placement, plantAt } from './placement.ts';

/** Wrong value of a schema node, which breaks one keyword of the schema, such as `type` or `enum`. */
interface Mutation {
  name: string;
  value: unknown;
  /** Address of the violated requirement, if it differs from the address of the schema node. */
  breaks?: string;
  /** Present if the ledger accepts the wrong value with `PROFILE=observed`. */
  observed?: 'deviation';
}

/** Derives at least one fault for every keyword of every schema node. */
export function deriveNodeFaults(): Fault[] {
  return loadContract()
    .operations.flatMap(listNodes)
    .flatMap((node) => listMutations(node).map((mutation) => createNodeFault(node, mutation)));
}

function createNodeFault(node: Node, { name, value, breaks, ...rest }: Mutation): Fault {
  const { operation, pointer } = node;
  const placement = choosePlacement(`${operation} ${pointer} ${name}`);
  const setValue: Change = ({ body, ...response }) => {
    // In a container, a fault can also replace the whole body.
    const container = { body };
    const isSet = plantAt(container, `/body${pointer}`, value, placement);
    return isSet ? { ...response, ...container } : undefined;
  };
  return {
    name: `${operation}: ${pointer || 'body'} ${name}${describePlacement(pointer, placement)}`,
    breaks: breaks ?? formatAddress(operation, pointer),
    ...rest,
    alter: altering(operation, setValue),
  };
}

function describePlacement(pointer: string, placement: Placement): string {
  if (!pointer.includes('*')) return '';
  return placement === 'every' ? ', in every one' : `, in the ${placement} one`;
}

/** Lists wrong values of a schema node: one for each way to break a keyword of its schema, such as `null` or a lower-case enum value. */
export function listMutations(node: Node): Mutation[] {
  const { schema, required, pointer, operation } = node;
  const isField = pointer !== '' && !pointer.endsWith('/*');
  const mutations: Mutation[] = [
    ...createTypeMutations(schema),
    ...createEnumMutations(schema.enum ?? []),
    ...createFormMutations(schema, findExample(node)),
  ];
  if (required && isField) mutations.unshift({ name: 'missing', value: undefined });
  if (schema['x-values-that-occur']) {
    const breaks = formatOccurringValuesAddress(operation, pointer);
    mutations.push({ name: 'a value that is not known to occur', value: 'Unheard', breaks });
  }
  return mutations.map((mutation) =>
    isAcceptedByLedger(node, mutation) ? { ...mutation, observed: 'deviation' } : mutation,
  );
}

/** Returns a conforming value of a node: the longest in the contract's `examples`, else one made from the schema. */
export function findExample(node: Node): unknown {
  const measureText = (value: unknown) => JSON.stringify(value).length;
  const [longestExample] = listContractExamples(node).sort(
    (first, second) => measureText(second) - measureText(first),
  );
  const { const: onlyValue, enum: allowedValues, type = 'object' } = node.schema;
  return longestExample ?? onlyValue ?? allowedValues?.[0] ?? samples[type];
}

function listContractExamples({ operation, kind, pointer }: Node): unknown[] {
  if (kind !== 'field') return [];
  const { examples } = loadContract().operations.find(({ id }) => id === operation) as Operation;
  const fields = Object.values(examples).flatMap(({ value: body }) => findMatchingFields(body, pointer));
  return fields.map(({ value }) => value).filter((value) => value !== undefined);
}

const samples: Record<string, unknown> = { string: 'text', boolean: true, integer: 7, array: [], object: {} };

/** Creates a mutation for null, and for a value of each JSON type other than that of the schema: `{ name: 'an integer', value: 7 }`. */
function createTypeMutations({ type }: Schema): Mutation[] {
  const startsWithVowel = /^[aio]/;
  const otherSamples = Object.entries(samples).filter(([name]) => name !== type);
  return [
    { name: 'null', value: null },
    ...otherSamples.map(([name, value]) => ({
      name: `${startsWithVowel.test(name) ? 'an' : 'a'} ${name}`,
      value,
    })),
  ];
}

/** Creates wrong forms of the first value of an enum, such as in lower case; none if the value is not a string. */
function createEnumMutations([firstValue]: unknown[]): Mutation[] {
  if (typeof firstValue !== 'string') return [];
  return [
    { name: 'outside the enum', value: 'Unheard' },
    { name: 'in lower case', value: firstValue.toLowerCase() },
    { name: 'in capitals', value: firstValue.toUpperCase() },
    { name: 'with a blank behind it', value: `${firstValue} ` },
    { name: 'empty', value: '' },
  ].filter(({ value }) => value !== firstValue);
}

/** Ledger entries for every target. They accept deviations that the contract itself reports or leaves open (2.3, 2.5 and 2.7). */
const entriesForEveryTarget = loadContract().ledger.filter(({ target }) => !target);

function isAcceptedByLedger({ operation, pointer }: Node, { breaks, value }: Mutation): boolean {
  const violatedAddress = breaks ?? formatAddress(operation, pointer);
  const entries = entriesForEveryTarget.filter(({ requirement }) => requirement === violatedAddress);
  return entries.some(({ accepts }) => 'schema' in accepts && compileValidator(accepts.schema)(value));
}

export const rejectWith =
  (code: number): Change =>
  () => ({
    status: code,
    headers: { 'content-type': 'application/json' },
    body: { code, message: 'rejected', data: null },
  });

/** Derives faults that reject a valid parameter, unless a fault in `writtenFaults` already violates its requirement. */
export function deriveParameterFaults(writtenFaults: Fault[]): Fault[] {
  const brokenAddresses = new Set(writtenFaults.map(({ breaks }) => breaks));
  return loadContract().operations.flatMap(({ id, parameters }) =>
    parameters.flatMap((parameter) => {
      const breaks = `${id}/parameters/${parameter.name}`;
      return brokenAddresses.has(breaks) ? [] : createRejections(parameter, breaks);
    }),
  );
}

function createRejections({ name, schema, 'x-identifiers': variable }: Parameter, breaks: string): Fault[] {
  if (variable) {
    // The first record must be found: if a target rejects all identifiers, the suite reports wrong settings.
    const [, secondIdentifier] = fullRecords[variable] ?? [];
    const isSecondRecord = hasParameter(name, secondIdentifier);
    return [fault(`does not know the second record, by ${name}`, breaks, rejectWith(404), isSecondRecord)];
  }
  if (schema.enum)
    return schema.enum.map((value) =>
      fault(`rejects ${value}`, breaks, rejectWith(422), hasParameter(name, `${value}`)),
    );
  return [400, 404].map((code) =>
    fault(`rejects ${name} with HTTP ${code}`, breaks, rejectWith(code), hasParameter(name)),
  );
}

/** Derives a fault for each `echoes` rule, by which a field repeats a parameter of the request: the field has another value. */
export function deriveEchoFaults(): Fault[] {
  const faults: Fault[] = [];
  for (const operation of loadContract().operations)
    for (const { address, check } of operation.rules) {
      if (!('echoes' in check)) continue;
      const { echoes: parameter, pointer, when = {} } = check;
      const conditions = Object.entries(when).map(([name, value]) => hasParameter(name, value));
      const isRuleApplied = allOf(hasParameter(parameter), ...conditions);
      const change = setOtherThanRequested(operation, parameter, pointer);
      const breaks = `${operation.id}/${address}`;
      faults.push(fault(`another ${parameter} than requested`, breaks, change, isRuleApplied));
    }
  return faults;
}

function setOtherThanRequested(operation: Operation, parameter: string, pointer: string): Change {
  const node = listNodes(operation).find((candidate) => candidate.pointer === pointer) as Node;
  const conformingValues = node.schema.enum ?? [findExample(node)];
  return (response, { parameters }) => {
    const otherValue = conformingValues.findLast((value) => value !== parameters[parameter]);
    if (otherValue === undefined) return undefined;
    return plantAt(response, `/body${pointer}`, otherValue, 'every') ? response : undefined;
  };
}

/** Strings that a schema rejects, separated by `|` and keyed by the title of the schema. The first string is empty. */
const wrongTextsByTitle: Record<string, string> = {
  'an identifier in UUID form, of hexadecimal digits':
    '|7c0f3a525d0e4a439d5b0a6f2f1f9c11|{7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11}|urn:uuid:7c0f3a52-5d0e-4a43-9d5b-' +
    '0a6f2f1f9c11|7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c1|7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c1g|' +
    '7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11\n|card-1',
  'a decimal number written as a string':
    '|1,000.00|1.000,00|10,5|1.2.3| 1.00|1.00 |1.00\n|1e3|0x1F|+1.00|.5|5.|--1|$5.00|5.00 USD|1 000|ten|NaN|Infinity|' +
    'null|٣.١٤',
  'six digits, as a string': '|12345|1234567|12345a| 12345|1234 6|４00000|400000\n',
  'four digits, as a string': '|123|12345|12a4|1 34|-123|****|0002\n',
  'a valid ISO 8601 UTC timestamp with fractional seconds':
    '|2024-02-29|2024-02-29T08:15:30Z|2024-02-29T08:15:30.Z|2024-02-29T08:15:30.250|2024-02-29T08:15:30.250+08:00|' +
    '2024-02-29 08:15:30.250Z|2023-02-29T08:15:30.250Z|2024-04-31T08:15:30.250Z|2024-13-01T08:15:30.250Z|' +
    '2024-00-10T08:15:30.250Z|2024-01-00T08:15:30.250Z|2024-02-29T24:15:30.250Z|2024-02-29T08:60:30.250Z|' +
    '2024-02-29T08:15:61.250Z|1709194530.250|Thu, 29 Feb 2024 08:15:30 GMT|24-02-29T08:15:30.250Z|' +
    '2024-02-29T08:15:30.250Z\n',
  'a month from 01 to 12 and a year, as MM/YY':
    '|13/28|00/28|1/28|01/2028|0128|01-28|28/13|01/2|Jan/28| 01/28|01/28\n',
  'a country code with a leading plus sign': '|44|0044|+|++44|+ 44| +44|44+|+uk|+44\n',
};

/** Lists wrong values for the `const`, `pattern` or `format` of a schema, if it has any. @param example conforming value */
function createFormMutations(schema: Schema, example: unknown) {
  if (schema.const !== undefined) return [{ name: 'another value', value: 500 }];
  if (!schema.pattern && !schema.format) return [];
  const wrongTexts = wrongTextsByTitle[schema.title ?? '']?.split('|') ?? deriveWrongTexts(schema, example);
  return wrongTexts.map((value) => ({ name: JSON.stringify(value), value }));
}

/** Derives rejected strings from a conforming value, such as a doubled one. @throws an `Error` if the schema accepts all of them */
function deriveWrongTexts(schema: Schema, example: unknown): string[] {
  const valid = String(example ?? '');
  const withNines = valid.replaceAll(/[0-9]{2}/g, '99');
  const changedTexts = ['', ` ${valid}`, `${valid}\n`, valid.slice(1), valid + valid, `x${valid}`, withNines];
  const wrongTexts = [...new Set(changedTexts)].filter((text) => !compileValidator(schema)(text));
  if (wrongTexts.length > 0) return wrongTexts;
  const kind = schema.title ?? schema.pattern ?? schema.format;
  throw new Error(`no wrong value is known for "${kind}": give a field of that kind a value in an example`);
}
