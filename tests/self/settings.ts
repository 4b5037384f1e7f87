import type { Target } from '../client/target.ts';

/** A target with other settings; of identifiers, only those of the variables that are named are others. */
export const withSettings = (target: Target, settings: Partial<Target>): Target => ({
  ...target,
  ...settings,
  identifiers: { ...target.identifiers, ...settings.identifiers },
});
