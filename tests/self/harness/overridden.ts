import type { Target } from '../../../src/client/target.ts';

/** A target with other settings; of identifiers only those that are named differ. */
export const overridden = (target: Target, overrides: Partial<Target>): Target => ({
  ...target,
  ...overrides,
  identifiers: { ...target.identifiers, ...overrides.identifiers },
});
