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

export interface ContractPageData {
  contract: Contract;
  run: Conformance;
  nodes: Node[];
  /** Requirements of the contract, keyed by address such as `getCard/http/status`. */
  requirements: Map<string, Requirement>;
  /** Results of the requirements that the run selected, keyed by address. */
  results: Map<string, ReportedRequirement>;
  answers: ShownAnswer[];
  /** Answers, keyed by the address where the page shows them: `listCustomers/parameters/limit`. Some answers are `unknown`. */
  answersByAddress: Map<string, ShownAnswer[]>;
  /** Results of earlier runs; undefined unless `npm run site` writes the page. */
  lastSeen: LastSeen | undefined;
}

/** Answer of the shown run or, if it has none, of an earlier run. */
export interface ShownAnswer extends ProbeAnswer {
  /** Start (ISO 8601) of the earlier run; undefined for an answer of the shown run. */
  seenAt?: string;
}

/** @param lastSeen results of earlier runs, for what this run could not judge or answer */
export function buildPageData(contract: Contract, run: Conformance, lastSeen?: LastSeen): ContractPageData {
  const nodes = contract.operations.flatMap(listNodes);
  const answers = run.observed.map((answer) => fallBackToEarlierAnswer(answer, lastSeen));
  const answersByAddress = new Map<string, ShownAnswer[]>();
  for (const answer of answers)
    for (const address of locateQuestion(contract, nodes, answer))
      answersByAddress.set(address, [...(answersByAddress.get(address) ?? []), answer]);
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
    answersByAddress,
  };
}

function fallBackToEarlierAnswer(answer: ProbeAnswer, lastSeen: LastSeen | undefined): ShownAnswer {
  const earlier = lastSeen?.answers[answer.id];
  if (isAnswered(answer) || !earlier) return answer;
  return { ...earlier.answer, seenAt: earlier.startedAt };
}

/**
 * Lists the ids of the places in a contract section where the page shows an open question. These are the parameters and fields that
 * the question names in backticks. If there are none: the operations. If there are none either: the schemas (`schemas/Card`).
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
  const namedAddresses = [...parameters, ...fields];
  if (namedAddresses.length > 0) return namedAddresses;
  const operationsOfSection = operations.filter(({ source }) => source === section);
  if (operationsOfSection.length > 0) return operationsOfSection.map(({ id }) => id);
  const schemasOfSection = Object.entries(components).filter(([, schema]) => schema['x-source'] === section);
  return schemasOfSection.map(([name]) => `schemas/${name}`);
}

export const hasResults = ({ run, lastSeen }: ContractPageData): boolean =>
  lastSeen !== undefined || hasJudged(run.requirements);

export const findVerdict = ({ results }: ContractPageData, address: string): Verdict | typeof notSelected =>
  results.get(address)?.verdict ?? notSelected;

export const listResults = ({ run }: ContractPageData, id: string): ReportedRequirement[] =>
  run.requirements.filter(({ operation }) => operation === id);

/** Finds the earlier result of a requirement that this run selected but could not judge; undefined for any other one. */
export function findEarlierResult(
  { results, lastSeen }: ContractPageData,
  address: string,
): SeenResult | undefined {
  const verdict = results.get(address)?.verdict;
  const isSelected = verdict !== undefined;
  return isSelected && !isJudged(verdict) ? lastSeen?.results[address] : undefined;
}

/** Returns how often values occurred: `{ 'getCard/data/card/physical_status = Active': 3 }`, in this run or an earlier one. */
export const findCounts = (page: ContractPageData, address: string): Record<string, number> =>
  findEarlierResult(page, address)?.states ?? page.run.coverage.seen;
