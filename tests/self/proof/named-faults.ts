import { closest } from 'fastest-levenshtein';
import { ofPrevious, type PlantedFault } from '../../../mock/population.ts';
import type { Alter } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { mutationsOf } from './derived.ts';
import { allFaults } from './faults/index.ts';

const list = '/data/customers/*/';

/** Faults of customers, in the list and in their lookups, by name: what each node of a customer rules out. */
const recordFaults = new Map<string, Omit<PlantedFault, 'every'>>([
  ...loadContract()
    .operations.flatMap(nodesOf)
    .filter(({ pointer, operation }) => operation === 'listCustomers' && pointer.startsWith(list))
    .flatMap((node) =>
      mutationsOf(node).map(({ name, value }) => {
        const path = node.pointer.slice(list.length);
        return [`customer: ${path} is ${name}`, { path, value }] as const;
      }),
    ),
  ['customer: uuid is that of the customer before it', { path: 'uuid', value: ofPrevious }],
]);

/** A fault that is selected by name: of answers, or of customers. */
export interface SelectedFault {
  name: string;
  alter?: Alter;
  planted?: PlantedFault;
}

/** Names of faults of answers, then of those of customers. */
export const faultNames = [...allFaults.map(({ name }) => name), ...recordFaults.keys()];

/** The name that is most like a text, rather one that has all words of it. */
function suggestion(text: string): string {
  const words = text.toLowerCase().match(/\w+/g) ?? [];
  const similar = faultNames.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  return closest(text, similar.length > 0 ? similar : faultNames);
}

/** A fault of every so many-th customer. @throws when no fault has that name */
export function planted(name: string, every = 1): PlantedFault {
  const fault = recordFaults.get(name);
  if (fault) return { ...fault, every };
  throw new Error(
    `no fault is called "${name}": did you mean "${suggestion(name)}"? --faults TEXT lists those with a text`,
  );
}

/** The fault that `NAME` or `NAME@N` names. @throws a sentence with a suggestion */
export function readFault(text: string): SelectedFault {
  const [, name = text, count] = /^(.*)@([^@]*)$/.exec(text) ?? [];
  const ofAnswers = allFaults.find((fault) => fault.name === name);
  if (ofAnswers && count !== undefined)
    throw new Error(`"${name}" is a fault of answers, which has no every N-th customer: leave out @${count}`);
  if (ofAnswers) return ofAnswers;
  const fault = planted(name, Number(count ?? 1));
  if (count !== undefined && !/^[1-9]\d*$/.test(count))
    throw new Error(`@${count} must be a whole number from 1: "${name}@10007" is every 10,007th customer`);
  return { name, planted: fault };
}
