import type { Operation } from '../../../schemas/contract/contract.ts';
import type { SweptList } from '../../exchanges/session.ts';
import { FoldedFindings } from '../../redaction/folded-findings.ts';
import type { Observation } from '../../redaction/observation.ts';
import { twinViolation, type UniqueRule, uniqueRuleOf } from '../pages/uniqueness.ts';
import type { BrokenRecords } from '../results/result.ts';
import { maxPlaces, nothingBroken, type PageResult } from '../results/tally.ts';

/**
 * Pages with the records whose identity names another one in another part: no part alone could see that. They cannot be asked
 * for again; what they name differs all the same. @param places of the records in the list, from 0 and in order
 */
export function* withTwins(
  pages: Iterable<PageResult>,
  operation: Operation,
  list: SweptList,
  places: number[],
): Generator<PageResult> {
  const rule = uniqueRuleOf(operation, list);
  let next = 0;
  for (const page of pages) {
    const { position = 0, held } = page;
    const start = next;
    while ((places[next] ?? Number.POSITIVE_INFINITY) < position + held) next += 1;
    const indices = places.slice(start, next).map((place) => place - position);
    yield rule && indices.length > 0 ? amended(page, operation, list, rule, indices) : page;
  }
}

function amended(
  page: PageResult,
  operation: Operation,
  list: SweptList,
  rule: UniqueRule,
  indices: number[],
): PageResult {
  const { position = 0, broken, observations } = page;
  const [observation, ...lookups] = observations;
  if (!observation) return page;
  const own = broken[rule.address] ?? nothingBroken;
  const first = [...own.first, ...indices.map((index) => position + index + 1)];
  const all: BrokenRecords = {
    ...{ records: own.records + indices.length, states: own.states, pages: 1 },
    first: first.sort((one, other) => one - other).slice(0, maxPlaces),
  };
  const found = withFindings(observation, operation, list, rule, indices);
  return { ...page, observations: [found, ...lookups], broken: { ...broken, [rule.address]: all } };
}

function withFindings(
  observation: Observation,
  operation: Operation,
  list: SweptList,
  rule: UniqueRule,
  indices: number[],
): Observation {
  const findings = new FoldedFindings(operation, observation);
  for (const index of indices) {
    const { requirement, pointer, place, expected, actual = '' } = twinViolation(rule, list, index);
    findings.add({ kind: 'violation', requirement, pointer, place, expected, actual });
  }
  return { ...observation, findings: [...findings.list(), ...observation.findings] };
}
