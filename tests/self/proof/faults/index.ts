import { operations } from '../../harness/edits.ts';
import { deriveEchoFaults, deriveNodeFaults, deriveParameterFaults } from '../derived.ts';
import { behaviourFaults, conditionalFaults, grantedFaults, observedFaults } from './behaviour.ts';
import type { Fault } from './fault.ts';
import { relations } from './relations.ts';
import { relatedFieldFaults } from './relations-of-cards-and-rules.ts';
import { transportFaults } from './transport.ts';

/** Faults that are written by hand, because they cannot be derived from a schema node. */
export const faults: Fault[] = [
  ...operations.flatMap(transportFaults),
  ...conditionalFaults,
  ...behaviourFaults,
  ...observedFaults,
  ...grantedFaults,
  ...relatedFieldFaults,
  ...relations,
];

export const allFaults: Fault[] = [
  ...faults,
  ...deriveParameterFaults(faults),
  ...deriveEchoFaults(),
  ...deriveNodeFaults(),
];
