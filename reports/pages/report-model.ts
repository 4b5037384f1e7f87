import type { Contract } from '../../schemas/contract.ts';
import type { Entry } from '../../schemas/ledger.ts';
import { addressOf, type Node, nodesOf } from '../../schemas/nodes.ts';
import type { Finding } from '../../tests/client/observation.ts';
import type { Verdict } from '../../tests/verdict/evaluate.ts';
import type { Conformance, ReportedRequirement } from '../conformance.ts';

/** One finding, and at how many places the like of it was found. */
export interface Found {
  first: Finding;
  places: number;
}

/** The contract beside what a run says of it: all that a page is made from. */
export interface ReportModel {
  contract: Contract;
  conformance: Conformance;
  nodes: Node[];
  ledger: Entry[];
  result(address: string): ReportedRequirement | undefined;
  found(address: string, ...kinds: Finding['kind'][]): Found[];
  seen(state: string): number;
}

export function reportModelOf(contract: Contract, conformance: Conformance): ReportModel {
  const results = new Map(conformance.requirements.map((one) => [one.address, one]));
  return {
    contract,
    conformance,
    nodes: contract.operations.flatMap(nodesOf),
    ledger: contract.ledger,
    result: (address) => results.get(address),
    found: (address, ...kinds) =>
      alike(
        conformance.findings.filter(
          ({ requirement, kind }) => requirement === address && kinds.includes(kind),
        ),
      ),
    seen: (state) => conformance.coverage.seen[state] ?? 0,
  };
}

/** Findings that differ in nothing but the place, as one. */
export function alike(findings: Finding[]): Found[] {
  const groups = new Map<string, Found>();
  for (const first of findings) {
    const { requirement, kind, pointer, expected, actual, places = 1 } = first;
    const key = [requirement, kind, pointer.replace(/\/\d+/g, '/*'), expected, actual].join('\n');
    const known = groups.get(key);
    if (known) known.places += places;
    else groups.set(key, { first, places });
  }
  return [...groups.values()];
}

/** How a verdict is worded for readers, with a sign for those who do not see its colour. */
export const words: Record<Verdict | 'unselected', { word: string; sign: string }> = {
  pass: { word: 'verified', sign: '✓' },
  deviation: { word: 'deviation', sign: '≈' },
  violation: { word: 'violated', sign: '✗' },
  'not exercised': { word: 'never seen', sign: '○' },
  blocked: { word: 'blocked', sign: '⊘' },
  error: { word: 'suite error', sign: '!' },
  unselected: { word: 'not judged', sign: '–' },
};

/** From the gravest to the lightest. */
export const gravity = [
  'violation',
  'error',
  'blocked',
  'deviation',
  'not exercised',
  'unselected',
  'pass',
] as const;

export const verdictAt = (model: ReportModel, address: string) =>
  model.result(address)?.verdict ?? 'unselected';

/** Addresses of the places that a component of the contract describes. */
export const placesOf = ({ nodes }: ReportModel, component: string) =>
  nodes
    .filter(({ schema }) => schema['x-component'] === component)
    .map(({ operation, pointer }) => addressOf(operation, pointer));
