import { inTurn } from '../../harness/edits.ts';
import { answerVariants } from './answers.ts';
import { identityVariants } from './identity.ts';
import { listVariants } from './lists.ts';
import { movingCustomers } from './moving.ts';
import { recordVariants } from './records.ts';
import { obeyFilters, type Variant } from './variant.ts';

const allVariants: Variant[] = [
  ...recordVariants,
  ...answerVariants,
  ...listVariants,
  ...movingCustomers,
  ...identityVariants,
];

/** Providers that conform to the contract, but that a careless suite would reject. Each obeys `linked_source_type`. */
export const variants = allVariants.map(
  ({ alter, ...variant }): Variant => (alter ? { ...variant, alter: inTurn(alter, obeyFilters) } : variant),
);
