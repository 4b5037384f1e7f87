import { loadContract } from '../../../schemas/contract/contract.ts';
import { requirementsFor } from '../../../src/run/results.ts';

const usual = requirementsFor(loadContract(), { undeclaredFields: 'report' });

/** How many requirements a run judges. */
export const requirementCount = usual.length;

/** How many of them are about an operation. */
export const requirementsOfOperation = (id: string) =>
  usual.filter(({ operation }) => operation === id).length;
