import type { Contract } from '../../schemas/contract/contract.ts';
import { formatAddress, listNodes, type Node } from '../../schemas/contract/nodes.ts';
import {
  formatParameterAddress,
  listRequirements,
  type Requirement,
} from '../../schemas/contract/requirements.ts';
import type { ProbeAnswer } from '../../src/questions/answers.ts';
import { hasJudged, isJudged, notSelected, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';
import { isAnswered, type LastSeen, type SeenResult } from '../last-seen.ts';

/* Data of the contract page: the contract, a run, and results of earlier runs. */

/** Contract and run, indexed by the places of the contract that the page shows. */
export interface Model {
  contract: Contract;
  run: Conformance;
  /** Schema nodes of all operations. */
  nodes: Node[];
  /** Requirements of the contract, keyed by address. */
  requirements: Map<string, Requirement>;
  /** Results of the run, keyed by address. */
  results: Map<string, ReportedRequirement>;
  /** Answers to open questions; if this run has none to a question, that of the last run which had one. */
  answers: ShownAnswer[];
  /** Answers by the place that their question is about, keyed by the address of the operation, parameter, field or schema. */
  observed: Map<string, ShownAnswer[]>;
  /** Results of earlier runs; only on a site. */
  lastSeen: LastSeen | undefined;
}

/** Answer to an open question, as the page shows it. */
export interface ShownAnswer extends ProbeAnswer {
  /** Start (ISO 8601) of the earlier run that has the answer; unset for an answer of this run. */
  seenAt?: string;
}

/** Indexes the results and answers of a run by the places of the contract. */
export function buildModel(contract: Contract, run: Conformance, lastSeen?: LastSeen): Model {
  const nodes = contract.operations.flatMap(listNodes);
  const answers = run.observed.map((answer) => selectAnswer(answer, lastSeen));
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

/** Returns the answer of this run; if that is `unknown`, the known answer of an earlier run, if there is one. */
function selectAnswer(answer: ProbeAnswer, lastSeen: LastSeen | undefined): ShownAnswer {
  const earlier = lastSeen?.answers[answer.id];
  return isAnswered(answer) || !earlier ? answer : { ...earlier.answer, seenAt: earlier.startedAt };
}

/**
 * Lists the addresses of the places that a question is about: the parameters and fields of its section that it names in backticks;
 * else the operations of its section; else the schemas of its section.
 */
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

/** Returns whether the page has a result: of this run, or of an earlier run. Without one, the page is kept short. */
export const hasResults = ({ run, lastSeen }: Model): boolean =>
  lastSeen !== undefined || hasJudged(run.requirements);

/** Returns the verdict of the requirement with an address, or `not selected` if the run has no result for it. */
export const findVerdict = ({ results }: Model, address: string): Verdict | typeof notSelected =>
  results.get(address)?.verdict ?? notSelected;

/** Lists the results of the requirements of an operation. */
export const listResults = ({ run }: Model, id: string): ReportedRequirement[] =>
  run.requirements.filter(({ operation }) => operation === id);

/** Returns the result of an earlier run for a requirement that this run selected but could not judge; undefined otherwise. */
export function findEarlierResult({ results, lastSeen }: Model, address: string): SeenResult | undefined {
  const verdict = results.get(address)?.verdict;
  return verdict === undefined || isJudged(verdict) ? undefined : lastSeen?.results[address];
}

/** Returns how often each value, presence and absence occurred, keyed by state: in this run, or in the earlier run shown instead. */
export const findCounts = (model: Model, address: string): Record<string, number> =>
  findEarlierResult(model, address)?.states ?? model.run.coverage.seen;
