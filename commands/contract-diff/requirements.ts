import type { Contract, Schema } from '../../schemas/contract/contract.ts';
import { type Requirement, requirementsOf } from '../../schemas/contract/requirements.ts';
import { type Direction, inverted, overall, type Step } from './change.ts';
import { schemaSteps } from './schema-steps.ts';

/** A requirement of both contracts that demands something else now. */
export interface ChangedRequirement {
  requirement: Requirement;
  direction: Direction;
  steps: Step[];
}

/** What a change of the contract means for its requirements. */
export interface RequirementChanges {
  added: Requirement[];
  removed: Requirement[];
  changed: ChangedRequirement[];
  /** Those whose sentence, section or description alone is another. */
  reworded: number;
  renamed: RenamedOperation[];
}

/** An operation of the same path under another name: each of its addresses has changed. */
export interface RenamedOperation {
  before: string;
  now: string;
  requirements: number;
}

/** Compares the requirements of two contracts, address by address. Pure. */
export function compareContracts(before: Contract, now: Contract): RequirementChanges {
  const renamed = renamedOperations(before, now);
  const names = new Map(renamed.map((one) => [one.before, one.now]));
  const old = new Map(requirementsOf(before).map((one) => [addressNow(one, names), one]));
  const own = new Map(requirementsOf(now).map((one) => [one.address, one]));
  const both = [...own.values()].flatMap((one) => {
    const earlier = old.get(one.address);
    return earlier ? [{ earlier, one, steps: stepsOf(earlier, one) }] : [];
  });
  return {
    renamed,
    added: [...own.values()].filter(({ address }) => !old.has(address)),
    removed: [...old].flatMap(([address, one]) => (own.has(address) ? [] : [one])),
    changed: both.flatMap(({ one, steps }) =>
      steps.length > 0 ? [{ requirement: one, steps, direction: overall(steps) }] : [],
    ),
    reworded: both.filter(({ earlier, one, steps }) => steps.length === 0 && isReworded(earlier, one)).length,
  };
}

function renamedOperations(before: Contract, now: Contract): RenamedOperation[] {
  const known = new Set(before.operations.map(({ id }) => id));
  return now.operations.flatMap((operation) => {
    const old = before.operations.find(({ path }) => path === operation.path);
    if (!old || old.id === operation.id || known.has(operation.id)) return [];
    const requirements = requirementsOf({ operations: [old] }).length;
    return [{ before: old.id, now: operation.id, requirements }];
  });
}

function addressNow({ address, operation }: Requirement, names: Map<string, string>): string {
  return `${names.get(operation) ?? operation}${address.slice(operation.length)}`;
}

const isReworded = (before: Requirement, now: Requirement) =>
  before.statement !== now.statement || before.source !== now.source;

function stepsOf(before: Requirement, now: Requirement): Step[] {
  const level: Step[] =
    before.level === now.level
      ? []
      : [
          {
            direction: 'changed',
            says: `it was a ${before.level}, and is a ${now.level}: a breach of either is a violation`,
          },
        ];
  return [...level, ...ownSteps(before, now)];
}

function ownSteps(before: Requirement, now: Requirement): Step[] {
  if (before.kind === 'node' && now.kind === 'node')
    return [
      ...presence(before.node.required, now.node.required, 'the field'),
      ...judgedSteps(before.node.schema, now.node.schema),
    ];
  if (before.kind === 'occurring-values' && now.kind === 'occurring-values')
    return schemaSteps(occurringIn(before.node.schema), occurringIn(now.node.schema));
  if (before.kind === 'parameter' && now.kind === 'parameter') {
    // A provider has to accept what a parameter may be: more of that demands more of it.
    const required = presence(
      before.parameter.required ?? false,
      now.parameter.required ?? false,
      'the parameter',
    );
    return inverted([...required, ...schemaSteps(before.parameter.schema, now.parameter.schema)]);
  }
  if (before.kind === 'rule' && now.kind === 'rule') return ruleSteps(before.rule.check, now.rule.check);
  return before.kind === now.kind && before.statement === now.statement
    ? []
    : [{ direction: 'changed', says: `it was: ${before.statement}` }];
}

const presence = (before: boolean, now: boolean, what: string): Step[] =>
  before === now
    ? []
    : [
        {
          direction: now ? 'stricter' : 'looser',
          says: now ? `${what} was optional, and is required` : `${what} was required, and is optional`,
        },
      ];

/** Values that occur are a requirement of their own. */
const judgedSteps = (before: Schema, now: Schema) =>
  schemaSteps({ ...before, ...nothingOccurs }, { ...now, ...nothingOccurs });
const nothingOccurs = { 'x-values-that-occur': [] };

const occurringIn = (schema: Schema): Schema => ({
  'x-values-that-occur': schema['x-values-that-occur'] ?? [],
});

const ruleSteps = (before: object, now: object): Step[] =>
  JSON.stringify(before) === JSON.stringify(now)
    ? []
    : [{ direction: 'changed', says: 'it is checked in another way' }];
