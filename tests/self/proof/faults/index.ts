import { operations } from '../../harness/edits.ts';
import { derivedFaults, parameterFaults } from '../derived.ts';
import { behaviour, conditional, granted, observed } from './behaviour.ts';
import type { Fault } from './fault.ts';
import { relations } from './relations.ts';
import { relatedFields } from './relations-of-cards-and-rules.ts';
import { transportFaults } from './transport.ts';

/** Every fault that cannot be derived from a schema node. */
export const faults: Fault[] = [
  ...operations.flatMap(transportFaults),
  ...conditional,
  ...behaviour,
  ...observed,
  ...granted,
  ...relatedFields,
  ...relations,
];

/** Every fault of the catalogue: written by hand, and derived from the contract. */
export const allFaults: Fault[] = [...faults, ...parameterFaults(faults), ...derivedFaults()];
