import { operations } from '../../harness/edits.ts';
import { deriveEchoFaults, deriveNodeFaults, deriveParameterFaults } from '../derived.ts';
import { behaviourFaults, conditionalFaults, fieldNameFaults, missingUserIdFaults } from './behaviour.ts';
import type { Fault } from './fault.ts';
import { comparisonFaults } from './relations.ts';
import { relatedFieldFaults } from './relations-of-cards-and-rules.ts';
import { createTransportFaults } from './transport.ts';

/** Handwritten faults, in contrast to those that `derived.ts` derives from the contract. */
export const writtenFaults: Fault[] = [
  ...operations.flatMap(createTransportFaults),
  ...conditionalFaults,
  ...behaviourFaults,
  ...fieldNameFaults,
  ...missingUserIdFaults,
  ...relatedFieldFaults,
  ...comparisonFaults,
];

export const allFaults: Fault[] = [
  ...writtenFaults,
  ...deriveParameterFaults(writtenFaults),
  ...deriveEchoFaults(),
  ...deriveNodeFaults(),
];
