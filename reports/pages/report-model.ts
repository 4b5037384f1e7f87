import type { Contract } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { addressOf, type Node, nodesOf } from '../../schemas/contract/nodes.ts';
import { type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import { notSelected } from '../../tests/verdict/verdicts.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';
import { type BrokenEntry, entryOf } from '../entries.ts';

/** The contract beside what a run says of it: all that a page is made from. */
export interface ReportModel {
  contract: Contract;
  conformance: Conformance;
  nodes: Node[];
  ledger: Entry[];
  /** What the contract says of an address. */
  requirement(address: string): Requirement | undefined;
  result(address: string): ReportedRequirement | undefined;
  /** What is found of a requirement that is broken or deviates. */
  entry(address: string): BrokenEntry | undefined;
  /** How often a value, or the presence or absence of a field, was seen. */
  seen(state: string): number;
}

/** Looks results up by the places of a contract. */
export function reportModelOf(contract: Contract, conformance: Conformance): ReportModel {
  const results = new Map(conformance.requirements.map((one) => [one.address, one]));
  const requirements = new Map(requirementsOf(contract).map((one) => [one.address, one]));
  return {
    contract,
    conformance,
    nodes: contract.operations.flatMap(nodesOf),
    ledger: contract.ledger,
    requirement: (address) => requirements.get(address),
    result: (address) => results.get(address),
    entry: (address) => {
      const result = results.get(address);
      return result && entryOf(conformance, result);
    },
    seen: (state) => conformance.coverage.seen[state] ?? 0,
  };
}

/** The verdict at a place of the contract. */
export const verdictAt = (model: ReportModel, address: string) =>
  model.result(address)?.verdict ?? notSelected;

/** Addresses of the places that a component of the contract describes. */
export const placesOf = ({ nodes }: ReportModel, component: string) =>
  nodes
    .filter(({ schema }) => schema['x-component'] === component)
    .map(({ operation, pointer }) => addressOf(operation, pointer));
