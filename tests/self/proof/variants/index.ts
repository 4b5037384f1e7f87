import { applyInOrder } from '../../harness/edits.ts';
import { answerVariants } from './answers.ts';
import { identityVariants } from './identity.ts';
import { listVariants } from './lists.ts';
import { movingCustomers } from './moving.ts';
import { recordVariants } from './records.ts';
import { applyListParameters, type Variant } from './variant.ts';

const allVariants: Variant[] = [
  ...recordVariants,
  ...answerVariants,
  ...listVariants,
  ...movingCustomers,
  ...identityVariants,
];

/** Unusual but acceptable providers, in which the suite must find no violation. */
export const variants = allVariants.map(({ alter, ...variant }): Variant => {
  if (!alter) return variant;
  // `alter` may change a field that the request filters by, so the list is filtered again.
  return { ...variant, alter: applyInOrder(alter, applyListParameters) };
});
