import type { Contract } from '../../schemas/contract/contract.ts';
import { addressOf, type Node, nodesOf } from '../../schemas/contract/nodes.ts';
import { parameterAddress, type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import type { ProbeAnswer } from '../../src/questions/answers.ts';
import { notSelected, type Verdict } from '../../src/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';

/** The contract beside what a run says of it: all that a page is made from. */
export interface Model {
  contract: Contract;
  run: Conformance;
  nodes: Node[];
  /** What the contract says of each address. */
  requirements: Map<string, Requirement>;
  /** What the run says of it. */
  results: Map<string, ReportedRequirement>;
  /** Answers to open questions, by the address of the operation, parameter, field or schema that they are about. */
  observed: Map<string, ProbeAnswer[]>;
}

/** Looks results up by the places of a contract. */
export function modelOf(contract: Contract, run: Conformance): Model {
  const nodes = contract.operations.flatMap(nodesOf);
  const observed = new Map<string, ProbeAnswer[]>();
  for (const one of run.observed)
    for (const place of placesOf(contract, nodes, one))
      observed.set(place, [...(observed.get(place) ?? []), one]);
  return {
    contract,
    run,
    nodes,
    requirements: new Map(requirementsOf(contract).map((one) => [one.address, one])),
    results: new Map(run.requirements.map((one) => [one.address, one])),
    observed,
  };
}

/** The verdict at a place of the contract. */
export const verdictAt = ({ results }: Model, address: string): Verdict | typeof notSelected =>
  results.get(address)?.verdict ?? notSelected;

/** The requirements of an operation, as the run judged them. */
export const resultsOf = ({ run }: Model, id: string): ReportedRequirement[] =>
  run.requirements.filter(({ operation }) => operation === id);

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
