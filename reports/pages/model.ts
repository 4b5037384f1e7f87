import type { Contract } from '../../schemas/contract/contract.ts';
import { addressOf, type Node, nodesOf } from '../../schemas/contract/nodes.ts';
import { parameterAddress, type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import type { ProbeAnswer } from '../../src/questions/answers.ts';
import { isJudged, notSelected, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';
import { isAnswered, type LastSeen, type SeenResult } from '../last-seen.ts';

/* What the contract page is made from: the contract, a run, and what earlier runs have seen. */

/** The contract beside what a run says of it: all that a page is made from. */
export interface Model {
  contract: Contract;
  run: Conformance;
  nodes: Node[];
  /** Requirements of the contract, keyed by address. */
  requirements: Map<string, Requirement>;
  /** Results of the run, keyed by address. */
  results: Map<string, ReportedRequirement>;
  /** Answers to open questions: those of the run, or else the last ones of earlier runs. */
  answers: ShownAnswer[];
  /** The answers by the address of the operation, parameter, field or schema that they are about. */
  observed: Map<string, ShownAnswer[]>;
  /** Results of earlier runs. */
  lastSeen: LastSeen | undefined;
}

/** Answer of a run, or of an earlier run that began at `seenAt`. */
export interface ShownAnswer extends ProbeAnswer {
  seenAt?: string;
}

/** Looks results up by the places of a contract. */
export function modelOf(contract: Contract, run: Conformance, lastSeen?: LastSeen): Model {
  const nodes = contract.operations.flatMap(nodesOf);
  const answers = run.observed.map((answer) => lastAnswer(answer, lastSeen));
  const observed = new Map<string, ShownAnswer[]>();
  for (const answer of answers)
    for (const place of placesOf(contract, nodes, answer))
      observed.set(place, [...(observed.get(place) ?? []), answer]);
  return {
    contract,
    run,
    nodes,
    answers,
    lastSeen,
    requirements: new Map(requirementsOf(contract).map((one) => [one.address, one])),
    results: new Map(run.requirements.map((one) => [one.address, one])),
    observed,
  };
}

/** Returns an answer of the run, or the last one of an earlier run if this run has none. */
function lastAnswer(answer: ProbeAnswer, lastSeen: LastSeen | undefined): ShownAnswer {
  const earlier = lastSeen?.answers[answer.id];
  return isAnswered(answer) || !earlier ? answer : { ...earlier.answer, seenAt: earlier.startedAt };
}

/** The fields that a question names, or else the operations or schemas of its section. */
function placesOf({ operations, components }: Contract, nodes: Node[], one: ProbeAnswer): string[] {
  const { section, question } = one;
  const isNamed = (name: string, source: string | undefined) =>
    source === section && question.includes(`\`${name}\``);
  const parameters = operations.flatMap(({ id, parameters: all }) =>
    all.filter((each) => isNamed(each.name, each['x-source'])).map(({ name }) => parameterAddress(id, name)),
  );
  const fields = nodes
    .filter(({ name, source }) => isNamed(name, source))
    .map(({ operation, pointer }) => addressOf(operation, pointer));
  const ofSection = operations.filter(({ source }) => source === section).map(({ id }) => id);
  const schemas = Object.entries(components).filter(([, schema]) => schema['x-source'] === section);
  const names = schemas.map(([name]) => `schemas/${name}`);
  return [[...parameters, ...fields], ofSection, names].find((places) => places.length > 0) ?? [];
}

/** The verdict at a place of the contract. */
export const verdictAt = ({ results }: Model, address: string): Verdict | typeof notSelected =>
  results.get(address)?.verdict ?? notSelected;

/** The requirements of an operation, as the run judged them. */
export const resultsOf = ({ run }: Model, id: string): ReportedRequirement[] =>
  run.requirements.filter(({ operation }) => operation === id);

/** Returns the last result of an earlier run, if the run of the page has none. */
export function earlierAt({ results, lastSeen }: Model, address: string): SeenResult | undefined {
  const verdict = results.get(address)?.verdict;
  return verdict === undefined || isJudged(verdict) ? undefined : lastSeen?.results[address];
}

/** Counts of values and of presence at an address, of the run or of the earlier run that is shown instead. */
export const countsAt = (model: Model, address: string): Record<string, number> =>
  earlierAt(model, address)?.states ?? model.run.coverage.seen;
