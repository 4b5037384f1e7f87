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
  requirements: Map<string, Requirement>;
  results: Map<string, ReportedRequirement>;
  answers: ShownAnswer[];
  answersByAddress: Map<string, ShownAnswer[]>;
  /** Results of earlier runs. Only `npm run site` provides them. */
  lastSeen: LastSeen | undefined;
}

/** Answer to an open question of the contract. The answer comes from the shown run or from an earlier run. */
export interface ShownAnswer extends ProbeAnswer {
  /** Start (ISO 8601) of the earlier run. An answer of the shown run has no `seenAt`. */
  seenAt?: string;
}

/**
 * Collects the data that the contract page shows.
 * @param lastSeen results and answers of earlier runs. An earlier result is shown if `run` could not judge the requirement.
 */
export function buildPageData(contract: Contract, run: Conformance, lastSeen?: LastSeen): ContractPageData {
  const requirements = listRequirements(contract);
  const nodes = contract.operations.flatMap(listNodes);
  const answers = run.observed.map((answer) => fallBackToEarlierAnswer(answer, lastSeen));
  return {
    contract,
    run,
    nodes,
    answers,
    lastSeen,
    requirements: new Map(requirements.map((requirement) => [requirement.address, requirement])),
    results: new Map(run.requirements.map((result) => [result.address, result])),
    answersByAddress: groupByAddress(contract, nodes, answers),
  };
}

function fallBackToEarlierAnswer(answer: ProbeAnswer, lastSeen: LastSeen | undefined): ShownAnswer {
  const earlier = lastSeen?.answers[answer.id];
  if (isAnswered(answer) || !earlier) return answer;
  return { ...earlier.answer, seenAt: earlier.startedAt };
}

function groupByAddress(
  contract: Contract,
  nodes: Node[],
  answers: ShownAnswer[],
): ContractPageData['answersByAddress'] {
  const answersByAddress = new Map<string, ShownAnswer[]>();
  for (const answer of answers)
    for (const address of listAddressesOfAnswer(contract, nodes, answer)) {
      const answersAtAddress = answersByAddress.get(address) ?? [];
      answersByAddress.set(address, [...answersAtAddress, answer]);
    }
  return answersByAddress;
}

function listAddressesOfAnswer(contract: Contract, nodes: Node[], answer: ProbeAnswer): string[] {
  const namedAddresses = [...listNamedParameters(contract, answer), ...listNamedFields(nodes, answer)];
  if (namedAddresses.length > 0) return namedAddresses;
  const { section } = answer;
  const operations = contract.operations.filter(({ source }) => source === section);
  if (operations.length > 0) return operations.map(({ id }) => id);
  const schemas = Object.entries(contract.components);
  const schemasOfSection = schemas.filter(([, schema]) => schema['x-source'] === section);
  return schemasOfSection.map(([name]) => `schemas/${name}`);
}

const namesInBackticks = (question: string, name: string) => question.includes(`\`${name}\``);

function listNamedParameters({ operations }: Contract, { section, question }: ProbeAnswer): string[] {
  const addresses: string[] = [];
  for (const { id, parameters } of operations)
    for (const { name, 'x-source': sectionOfParameter } of parameters)
      if (sectionOfParameter === section && namesInBackticks(question, name))
        addresses.push(formatParameterAddress(id, name));
  return addresses;
}

function listNamedFields(nodes: Node[], { section, question }: ProbeAnswer): string[] {
  const namedNodes = nodes.filter(
    ({ name, source }) => source === section && namesInBackticks(question, name),
  );
  return namedNodes.map(({ operation, pointer }) => formatAddress(operation, pointer));
}

export const hasResults = ({ run, lastSeen }: ContractPageData): boolean =>
  lastSeen !== undefined || hasJudged(run.requirements);

export const findVerdict = ({ results }: ContractPageData, address: string): Verdict | typeof notSelected =>
  results.get(address)?.verdict ?? notSelected;

export const listResults = ({ run }: ContractPageData, id: string): ReportedRequirement[] =>
  run.requirements.filter(({ operation }) => operation === id);

/**
 * Finds the latest earlier result of a requirement that this run could not judge.
 * @returns undefined if this run judged the requirement, or if the requirement is not part of this run
 * @returns undefined if no earlier run judged the requirement
 */
export function findEarlierResult(
  { results, lastSeen }: ContractPageData,
  address: string,
): SeenResult | undefined {
  const verdict = results.get(address)?.verdict;
  // The row of such a requirement says "not part of this run", and nothing else.
  const isLeftOut = verdict === undefined;
  if (isLeftOut || isJudged(verdict)) return undefined;
  return lastSeen?.results[address];
}

/**
 * Returns how often documented values and states occurred: `{ '…/physical_status = Active': 3, '…/email absent': 1 }`.
 * The counts come from this run, and are about all fields and parameters.
 * If only an earlier run could judge `address`, the counts come from the earlier run, and are only about `address`.
 * @param address address of a field or parameter, such as `getCard/data/card/physical_status`
 */
export const findCounts = (page: ContractPageData, address: string): Record<string, number> =>
  findEarlierResult(page, address)?.states ?? page.run.coverage.seen;
