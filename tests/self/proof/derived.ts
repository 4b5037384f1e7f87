import {
  type CheckOf,
  loadContract,
  type Operation,
  type Parameter,
  type Schema,
} from '../../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../../schemas/contract/ledger.ts';
import { formatAddress, listNodes, type Node } from '../../../schemas/contract/nodes.ts';
import { formatOccurringValuesAddress } from '../../../schemas/contract/requirements.ts';
import { compileValidator } from '../../../schemas/contract/validators.ts';
import { findMatchingFields } from '../../../schemas/json.ts';
import { allOf, altering, type Change, hasParameter } from '../harness/edits.ts';
import { createFault, type Fault } from './faults/fault.ts';
import { fullRecords } from './full-records.ts';
import { choosePlacement, type Placement, plantAt } from './placement.ts';

/** Wrong value for a schema node, such as 7 for `type: string`. */
interface Mutation {
  name: string;
  value: unknown;
  /** Address of the violated requirement; default: the address of the schema node. */
  breaks?: string;
  /** Present if the ledger accepts the wrong value as a known deviation. */
  observed?: 'deviation';
}

/** Creates a fault for each wrong value of each schema node in the contract. */
export function deriveNodeFaults(): Fault[] {
  return loadContract()
    .operations.flatMap(listNodes)
    .flatMap((node) => listMutations(node).map((mutation) => createNodeFault(node, mutation)));
}

function createNodeFault(node: Node, mutation: Mutation): Fault {
  const { operation, pointer } = node;
  // `expectedVerdict` is `{ observed: 'deviation' }` if the ledger accepts the wrong value; otherwise, it is empty.
  const { name, value, breaks = formatAddress(operation, pointer), ...expectedVerdict } = mutation;
  const placement = choosePlacement(`${operation} ${pointer} ${name}`);
  return {
    name: `${operation}: ${pointer || 'body'} ${name}${describePlacement(pointer, placement)}`,
    breaks,
    ...expectedVerdict,
    alter: altering(operation, setBodyValue(pointer, value, placement)),
  };
}

const setBodyValue =
  (pointer: string, value: unknown, placement: Placement): Change =>
  (response) => {
    const changedResponse = { ...response };
    // The pointer begins at the response, so that an empty `pointer` replaces the whole body.
    const isSet = plantAt(changedResponse, `/body${pointer}`, value, placement);
    return isSet ? changedResponse : undefined;
  };

function describePlacement(pointer: string, placement: Placement): string {
  if (!pointer.includes('*')) return '';
  return placement === 'every' ? ', in every one' : `, in the ${placement} one`;
}

/** Lists wrong values for a schema node: `null` and `'active'` for `enum: [Active]`. */
export function listMutations(node: Node): Mutation[] {
  const { schema, required, pointer, operation } = node;
  const isField = pointer !== '' && !pointer.endsWith('/*');
  const mutations: Mutation[] = [];
  if (required && isField) mutations.push({ name: 'missing', value: undefined });
  mutations.push(
    ...createTypeMutations(schema),
    ...createEnumMutations(schema.enum ?? []),
    ...createFormMutations(schema, findExample(node)),
  );
  if (schema['x-values-that-occur']) {
    const breaks = formatOccurringValuesAddress(operation, pointer);
    mutations.push({ name: 'a value that is not known to occur', value: 'Unheard', breaks });
  }
  return mutations.map((mutation) =>
    isAcceptedByLedger(node, mutation) ? { ...mutation, observed: 'deviation' } : mutation,
  );
}

/** Returns a field's longest example in the contract, or a sample value. */
export function findExample(node: Node): unknown {
  const measureLength = (value: unknown) => JSON.stringify(value).length;
  const [longestExample] = listContractExamples(node).sort(
    (first, second) => measureLength(second) - measureLength(first),
  );
  // A sample may violate keywords such as `pattern`.
  return longestExample ?? chooseSample(node.schema);
}

function chooseSample({ const: onlyValue, enum: allowedValues, type = 'object' }: Schema): unknown {
  if (onlyValue !== undefined) return onlyValue;
  if (allowedValues) return allowedValues[0];
  return sampleByType[type];
}

function listContractExamples({ operation, kind, pointer }: Node): unknown[] {
  if (kind !== 'field') return [];
  const { examples } = loadContract().operations.find(({ id }) => id === operation) as Operation;
  const fields = Object.values(examples).flatMap(({ value: body }) => findMatchingFields(body, pointer));
  return fields.map(({ value }) => value).filter((value) => value !== undefined);
}

const sampleByType: Record<string, unknown> = {
  string: 'text',
  boolean: true,
  integer: 7,
  array: [],
  object: {},
};

function createTypeMutations({ type }: Schema): Mutation[] {
  const startsWithVowel = /^[aio]/;
  const samplesOfOtherTypes = Object.entries(sampleByType).filter(([sampleType]) => sampleType !== type);
  const mutations = samplesOfOtherTypes.map(([sampleType, value]) => {
    const article = startsWithVowel.test(sampleType) ? 'an' : 'a';
    return { name: `${article} ${sampleType}`, value };
  });
  return [{ name: 'null', value: null }, ...mutations];
}

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

const entriesForEveryTarget = loadContract().ledger.filter(({ target }) => !target);

function isAcceptedByLedger({ operation, pointer }: Node, { breaks, value }: Mutation): boolean {
  const violatedAddress = breaks ?? formatAddress(operation, pointer);
  const entries = entriesForEveryTarget.filter(({ requirement }) => requirement === violatedAddress);
  const acceptsValue = ({ accepts }: LedgerEntry) =>
    'schema' in accepts && compileValidator(accepts.schema)(value);
  return entries.some(acceptsValue);
}

export const rejectWith =
  (code: number): Change =>
  () => ({
    status: code,
    headers: { 'content-type': 'application/json' },
    body: { code, message: 'rejected', data: null },
  });

/** Derives faults that reject a valid parameter, unless `writtenFaults` already has one. */
export function deriveParameterFaults(writtenFaults: Fault[]): Fault[] {
  const violatedAddresses = new Set(writtenFaults.map(({ breaks }) => breaks));
  const faults: Fault[] = [];
  for (const { id, parameters } of loadContract().operations)
    for (const parameter of parameters) {
      const breaks = `${id}/parameters/${parameter.name}`;
      if (!violatedAddresses.has(breaks)) faults.push(...createRejections(parameter, breaks));
    }
  return faults;
}

function createRejections({ name, schema, 'x-identifiers': variable }: Parameter, breaks: string): Fault[] {
  if (variable) return [createSecondRecordRejection(name, variable, breaks)];
  if (schema.enum)
    return schema.enum.map((value) =>
      createFault(`rejects ${value}`, breaks, rejectWith(422), hasParameter(name, `${value}`)),
    );
  return [400, 404].map((code) =>
    createFault(`rejects ${name} with HTTP ${code}`, breaks, rejectWith(code), hasParameter(name)),
  );
}

function createSecondRecordRejection(parameter: string, variable: string, breaks: string): Fault {
  // The provider finds the first record. If it rejected all identifiers, the suite would report wrong settings.
  const [, secondIdentifier] = fullRecords[variable] ?? [];
  const requestsSecondRecord = hasParameter(parameter, secondIdentifier);
  const name = `does not know the second record, by ${parameter}`;
  return createFault(name, breaks, rejectWith(404), requestsSecondRecord);
}

/** Derives faults that respond with another value than requested, such as another `id`. */
export function deriveEchoFaults(): Fault[] {
  const faults: Fault[] = [];
  for (const operation of loadContract().operations)
    for (const { address, check } of operation.rules)
      if ('echoes' in check) faults.push(createEchoFault(operation, address, check));
  return faults;
}

function createEchoFault(operation: Operation, ruleAddress: string, check: CheckOf<'echoes'>): Fault {
  const { echoes: parameter, pointer, when = {} } = check;
  const conditionsOfRule = Object.entries(when).map(([name, value]) => hasParameter(name, value));
  return createFault(
    `another ${parameter} than requested`,
    `${operation.id}/${ruleAddress}`,
    replaceEchoedValue(operation, parameter, pointer),
    allOf(hasParameter(parameter), ...conditionsOfRule),
  );
}

function replaceEchoedValue(operation: Operation, parameter: string, pointer: string): Change {
  const node = listNodes(operation).find((candidate) => candidate.pointer === pointer) as Node;
  const conformingValues = node.schema.enum ?? [findExample(node)];
  return (response, { parameters }) => {
    const requestedValue = parameters[parameter];
    const otherValue = conformingValues.findLast((value) => value !== requestedValue);
    // The request names the only value that conforms to the schema.
    if (otherValue === undefined) return undefined;
    return plantAt(response, `/body${pointer}`, otherValue, 'every') ? response : undefined;
  };
}

/** Strings that violate a schema, keyed by its `title` and separated by `|`. */
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

function createFormMutations(schema: Schema, example: unknown): Mutation[] {
  if (schema.const !== undefined) return [{ name: 'another value', value: 500 }];
  if (!schema.pattern && !schema.format) return [];
  const listedTexts = wrongTextsByTitle[schema.title ?? '']?.split('|');
  const wrongTexts = listedTexts ?? deriveWrongTexts(schema, example);
  return wrongTexts.map((value) => ({ name: JSON.stringify(value), value }));
}

function deriveWrongTexts(schema: Schema, example: unknown): string[] {
  const valid = String(example ?? '');
  const withNines = valid.replaceAll(/[0-9]{2}/g, '99');
  const changedTexts = ['', ` ${valid}`, `${valid}\n`, valid.slice(1), valid + valid, `x${valid}`, withNines];
  const conforms = compileValidator(schema);
  const wrongTexts = [...new Set(changedTexts)].filter((text) => !conforms(text));
  if (wrongTexts.length > 0) return wrongTexts;
  const kind = schema.title ?? schema.pattern ?? schema.format;
  throw new Error(`no wrong value is known for "${kind}": give a field of that kind a value in an example`);
}
