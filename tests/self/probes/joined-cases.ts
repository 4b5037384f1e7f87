import type { MockOptions } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';

/** What a provider does in its own way, and exactly the answers that follow, by question. */
export type AnswerCase = [name: string, options: MockOptions, answers: Record<string, string>];

/** So many runs show all cases, unless more of them than that have a say in one question. */
const minGroups = 8;

/**
 * Cases put together so that no two have a say in the same question: each answer is then the work of one of them. A case
 * that others would disturb names the answer that must stay as it is, and so has a say in it.
 */
export function joinedCases(cases: AnswerCase[]): AnswerCase[] {
  const groups: AnswerCase[][] = Array.from({ length: minGroups }, () => []);
  for (const one of cases) {
    const apart = groups.filter((all) => all.every((other) => areApart(one, other)));
    const [smallest] = apart.sort((some, others) => some.length - others.length);
    if (smallest) smallest.push(one);
    else groups.push([one]);
  }
  return groups.map(joined);
}

const areApart = ([, , some]: AnswerCase, [, , others]: AnswerCase) =>
  Object.keys(some).every((id) => !Object.hasOwn(others, id));

function joined(group: AnswerCase[]): AnswerCase {
  const choices = group.map(([, options]) => options.choices ?? {});
  const headers = Object.assign({}, ...choices.map((one) => one.headers));
  const alter = inTurn(...group.flatMap(([, options]) => options.alter ?? []));
  return [
    group.map(([name]) => name).join(' · '),
    { choices: Object.assign({}, ...choices, { headers }), alter },
    Object.assign({}, ...group.map(([, , answers]) => answers)),
  ];
}
