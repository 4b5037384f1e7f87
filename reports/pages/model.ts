import type { Contract } from '../../schemas/contract/contract.ts';
import { formatAddress, listNodes, type Node } from '../../schemas/contract/nodes.ts';
import {
  formatParameterAddress,
  listRequirements,
  type Requirement,
} from '../../schemas/contract/requirements.ts';
import type { ProbeAnswer } from '../../src/questions/answers.ts';
import { isJudged, notSelected, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';
import { isAnswered, type LastSeen, type SeenResult } from '../last-seen.ts';

/* Data of the contract page: the contract, a run, and results of earlier runs. */

/** Contract with the results of a run. */
export interface Model {
  contract: Contract;
  run: Conformance;
  nodes: Node[];
  /** Requirements of the contract, keyed by address. */
  requirements: Map<string, Requirement>;
  /** Results of the run, keyed by address. */
  results: Map<string, ReportedRequirement>;
  /** Answers to open questions, of this run or of the last run that has one. */
  answers: ShownAnswer[];
  /** Answers, keyed by the address of their operation, parameter, field or schema. */
  observed: Map<string, ShownAnswer[]>;
  lastSeen: LastSeen | undefined;
}

/** Answer of this run, or of an earlier run that began at `seenAt`. */
export interface ShownAnswer extends ProbeAnswer {
  seenAt?: string;
}

/** Indexes results and answers by the places of a contract. */
export function buildModel(contract: Contract, run: Conformance, lastSeen?: LastSeen): Model {
  const nodes = contract.operations.flatMap(listNodes);
  const answers = run.observed.map((answer) => lastAnswer(answer, lastSeen));
  const observed = new Map<string, ShownAnswer[]>();
  for (const answer of answers)
    for (const place of locateQuestion(contract, nodes, answer))
      observed.set(place, [...(observed.get(place) ?? []), answer]);
  return {
    contract,
    run,
    nodes,
    answers,
    lastSeen,
    requirements: new Map(
      listRequirements(contract).map((requirement) => [requirement.address, requirement]),
    ),
    results: new Map(run.requirements.map((result) => [result.address, result])),
    observed,
  };
}

/** Returns an answer of the run, or the last one of an earlier run if this run has none. */
function lastAnswer(answer: ProbeAnswer, lastSeen: LastSeen | undefined): ShownAnswer {
  const earlier = lastSeen?.answers[answer.id];
  return isAnswered(answer) || !earlier ? answer : { ...earlier.answer, seenAt: earlier.startedAt };
}

/** Lists the addresses of the parameters and fields that a question names, or else of the operations or schemas of its section. */
function locateQuestion(
  { operations, components }: Contract,
  nodes: Node[],
  { section, question }: ProbeAnswer,
): string[] {
  const isNamed = (name: string, source: string | undefined) =>
    source === section && question.includes(`\`${name}\``);
  const parameters = operations.flatMap((operation) =>
    operation.parameters
      .filter((parameter) => isNamed(parameter.name, parameter['x-source']))
      .map(({ name }) => formatParameterAddress(operation.id, name)),
  );
  const fields = nodes
    .filter(({ name, source }) => isNamed(name, source))
    .map(({ operation, pointer }) => formatAddress(operation, pointer));
  const sectionOperations = operations.filter(({ source }) => source === section).map(({ id }) => id);
  const schemas = Object.entries(components).filter(([, schema]) => schema['x-source'] === section);
  const names = schemas.map(([name]) => `schemas/${name}`);
  return [[...parameters, ...fields], sectionOperations, names].find((places) => places.length > 0) ?? [];
}

/** Returns the verdict at a place of the contract. */
export const findVerdict = ({ results }: Model, address: string): Verdict | typeof notSelected =>
  results.get(address)?.verdict ?? notSelected;

/** Lists the results of an operation. */
export const listResults = ({ run }: Model, id: string): ReportedRequirement[] =>
  run.requirements.filter(({ operation }) => operation === id);

/** Returns the result of an earlier run if this run has none. */
export function findEarlierResult({ results, lastSeen }: Model, address: string): SeenResult | undefined {
  const verdict = results.get(address)?.verdict;
  return verdict === undefined || isJudged(verdict) ? undefined : lastSeen?.results[address];
}

/** Returns the counts of values and of presence at an address, of this run or of the earlier run that the page shows. */
export const findCounts = (model: Model, address: string): Record<string, number> =>
  findEarlierResult(model, address)?.states ?? model.run.coverage.seen;
