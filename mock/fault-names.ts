import { closest } from 'fastest-levenshtein';
import type { Fault } from './faults/fault.ts';
import { faults } from './faults/index.ts';
import type { PlantedFault } from './population/population.ts';
import { recordFaults } from './population/record-faults.ts';

/** A fault that is selected by name: of answers, or of customers. */
export type SelectedFault = { ofAnswers: Fault } | { ofCustomers: PlantedFault };

/** Names by what the faults are about, in the order in which they are listed. */
export const faultNames = {
  'answers (NAME)': faults.map(({ name }) => name),
  'customers, in the list and in their lookups (NAME, or NAME@N for every N-th customer)': recordFaults.map(
    ({ name }) => name,
  ),
};

const allNames = Object.values(faultNames).flat();

/** The name that is most like a text, rather one that has all words of it. */
function suggestion(text: string): string {
  const words = text.toLowerCase().match(/\w+/g) ?? [];
  const similar = allNames.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  return closest(text, similar.length > 0 ? similar : allNames);
}

/** The fault that `NAME` or `NAME@N` names, or an error with a suggestion. */
export function readFault(text: string): SelectedFault {
  const [, name = text, count] = /^(.*)@([^@]*)$/.exec(text) ?? [];
  const ofAnswers = faults.find((fault) => fault.name === name);
  if (ofAnswers && count !== undefined)
    throw new Error(`"${name}" is a fault of answers, which has no every N-th customer: leave out @${count}`);
  if (ofAnswers) return { ofAnswers };
  if (!recordFaults.some((fault) => fault.name === name))
    throw new Error(`no fault is called "${name}": did you mean "${suggestion(name)}"? --help lists all`);
  if (count !== undefined && !/^[1-9]\d*$/.test(count))
    throw new Error(`@${count} must be a whole number from 1: "${name}@10007" is every 10,007th customer`);
  return { ofCustomers: { name, every: Number(count ?? 1) } };
}
