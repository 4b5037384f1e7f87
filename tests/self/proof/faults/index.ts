import { operations } from '../../harness/edits.ts';
import { deriveEchoFaults, deriveNodeFaults, deriveParameterFaults } from '../derived.ts';
import { behaviourFaults, conditionalFaults, fieldNameFaults, grantedFaults } from './behaviour.ts';
import type { Fault } from './fault.ts';
import { comparisonFaults } from './relations.ts';
import { relatedFieldFaults } from './relations-of-cards-and-rules.ts';
import { transportFaults } from './transport.ts';

/** Faults that are written by hand, because they cannot be derived from a schema node. */
export const faults: Fault[] = [
  ...operations.flatMap(transportFaults),
  ...conditionalFaults,
  ...behaviourFaults,
  ...fieldNameFaults,
  ...grantedFaults,
  ...relatedFieldFaults,
  ...comparisonFaults,
];

export const allFaults: Fault[] = [
  ...faults,
  ...deriveParameterFaults(faults),
  ...deriveEchoFaults(),
  ...deriveNodeFaults(),
];
