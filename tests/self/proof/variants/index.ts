import { answerVariants } from './answers.ts';
import { identityVariants } from './identity.ts';
import { listVariants } from './lists.ts';
import { movingCustomers } from './moving.ts';
import { recordVariants } from './records.ts';
import type { Variant } from './variant.ts';

/** Providers that conform to the contract, but that a careless suite would reject. */
export const variants: Variant[] = [
  ...recordVariants,
  ...answerVariants,
  ...listVariants,
  ...movingCustomers,
  ...identityVariants,
];
