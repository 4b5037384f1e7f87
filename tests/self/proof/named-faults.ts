import { closest } from 'fastest-levenshtein';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { type PlantedFault, valueOfPreviousCustomer } from '../mock/population.ts';
import { listMutations } from './derived.ts';
import { allFaults } from './faults/index.ts';

const customerPointer = '/data/customers/*/';

type WrongField = Pick<PlantedFault, 'path' | 'value'>;

/** Wrong values of customer fields, keyed by name such as `customer: email is null`. */
const wrongFieldsByName = createWrongFields();

function createWrongFields(): Map<string, WrongField> {
  const wrongFields = new Map<string, WrongField>();
  const nodes = loadContract().operations.flatMap(listNodes);
  const customerNodes = nodes.filter(
    ({ pointer, operation }) => operation === 'listCustomers' && pointer.startsWith(customerPointer),
  );
  for (const node of customerNodes) {
    const path = node.pointer.slice(customerPointer.length);
    for (const { name, value } of listMutations(node))
      wrongFields.set(`customer: ${path} is ${name}`, { path, value });
  }
  wrongFields.set('customer: uuid is that of the customer before it', {
    path: 'uuid',
    value: valueOfPreviousCustomer,
  });
  return wrongFields;
}

/** Fault with either `alter` (changes responses) or `planted` (changes customers of the mock). */
export interface SelectedFault {
  name: string;
  alter?: Alter;
  planted?: PlantedFault;
}

export const faultNames = [...allFaults.map(({ name }) => name), ...wrongFieldsByName.keys()];

function suggestName(text: string): string {
  const words = text.toLowerCase().match(/\w+/g) ?? [];
  const hasAllWords = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  const namesWithWords = faultNames.filter(hasAllWords);
  return closest(text, namesWithWords.length > 0 ? namesWithWords : faultNames);
}

const correctLetterCase = (typedName: string): string =>
  faultNames.find((name) => name.toLowerCase() === typedName.toLowerCase()) ?? typedName;

/**
 * Creates a fault of customers: `('customer: email is null', 3)` affects every third.
 * @throws an `Error` if no wrong field has this name
 */
export const createPlantedFault = (name: string, every = 1): PlantedFault => ({
  ...findWrongField(name),
  every,
});

function findWrongField(name: string): WrongField {
  const wrongField = wrongFieldsByName.get(name);
  if (wrongField) return wrongField;
  throw new Error(
    `no fault is called "${name}": did you mean "${suggestName(name)}"? --faults TEXT lists those with a text`,
  );
}

/**
 * Finds the fault that `--fault` names, such as `customer: email is null@3` (every third customer).
 * @throws an `Error` if no fault has the name, if the number after `@` is not a positive integer, or if a fault of responses has a number
 */
export function readFault(text: string): SelectedFault {
  const { typedName, count } = splitFaultText(text);
  const name = correctLetterCase(typedName);
  const answerFault = allFaults.find((fault) => fault.name === name);
  if (!answerFault) return { name, planted: { ...findWrongField(name), every: parseCount(name, count) } };
  if (count === undefined) return answerFault;
  throw new Error(`"${name}" is a fault of responses, not of customers: leave out @${count}`);
}

/** Splits `customer: email is null@3` at the last `@`. */
function splitFaultText(text: string): { typedName: string; count?: string } {
  const countStart = text.lastIndexOf('@');
  if (countStart < 0) return { typedName: text };
  return { typedName: text.slice(0, countStart), count: text.slice(countStart + 1) };
}

function parseCount(faultName: string, count = '1'): number {
  if (/^[1-9]\d*$/.test(count)) return Number(count);
  throw new Error(`@${count} must be a whole number from 1: "${faultName}@10007" is every 10,007th customer`);
}
