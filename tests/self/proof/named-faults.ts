import { closest } from 'fastest-levenshtein';
import { ofPrevious, type PlantedFault } from '../../../mock/population.ts';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { listMutations } from './derived.ts';
import { allFaults } from './faults/index.ts';

const list = '/data/customers/*/';

/** Faults of customers, in list and lookup alike, keyed by name such as `customer: email is null`. */
const recordFaults = new Map<string, Omit<PlantedFault, 'every'>>([
  ...loadContract()
    .operations.flatMap(listNodes)
    .filter(({ pointer, operation }) => operation === 'listCustomers' && pointer.startsWith(list))
    .flatMap((node) =>
      listMutations(node).map(({ name, value }) => {
        const path = node.pointer.slice(list.length);
        return [`customer: ${path} is ${name}`, { path, value }] as const;
      }),
    ),
  ['customer: uuid is that of the customer before it', { path: 'uuid', value: ofPrevious }],
]);

export interface SelectedFault {
  name: string;
  alter?: Alter;
  /** Wrong value in every N-th customer of the mock. */
  planted?: PlantedFault;
}

export const faultNames = [...allFaults.map(({ name }) => name), ...recordFaults.keys()];

/** Returns the most similar name by edit distance, if possible among those that contain all words of the text. */
function suggestName(text: string): string {
  const words = text.toLowerCase().match(/\w+/g) ?? [];
  const similarNames = faultNames.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  return closest(text, similarNames.length > 0 ? similarNames : faultNames);
}

const correctLetterCase = (typedName: string): string =>
  faultNames.find((name) => name.toLowerCase() === typedName.toLowerCase()) ?? typedName;

/** Creates a fault of every N-th customer. @throws an `Error` that suggests a similar name, if the name is unknown */
export const createPlantedFault = (name: string, every = 1): PlantedFault => ({
  ...findRecordFault(name),
  every,
});

function findRecordFault(name: string): Omit<PlantedFault, 'every'> {
  const fault = recordFaults.get(name);
  if (fault) return fault;
  throw new Error(
    `no fault is called "${name}": did you mean "${suggestName(name)}"? --faults TEXT lists those with a text`,
  );
}

/** Reads a fault from `NAME`, or `NAME@N` for every N-th customer. @throws an `Error` if the name or N is wrong */
export function readFault(text: string): SelectedFault {
  const nameAndCount = /^(.*)@([^@]*)$/;
  const [, typedName = text, count] = nameAndCount.exec(text) ?? [];
  const name = correctLetterCase(typedName);
  const answerFault = allFaults.find((fault) => fault.name === name);
  if (!answerFault) return { name, planted: { ...findRecordFault(name), every: parseCount(name, count) } };
  if (count === undefined) return answerFault;
  throw new Error(`"${name}" is a fault of answers, which has no every N-th customer: leave out @${count}`);
}

function parseCount(faultName: string, count = '1'): number {
  if (/^[1-9]\d*$/.test(count)) return Number(count);
  throw new Error(`@${count} must be a whole number from 1: "${faultName}@10007" is every 10,007th customer`);
}
