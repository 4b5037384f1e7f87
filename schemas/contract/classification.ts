/** Category and sensitivity of a value: `x-data-classification` of a parameter, or of a field that is neither object nor array. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/**
 * Returns whether the sensitivity of a field or parameter is `public`, so that reports may show its values. False without a
 * classification.
 */
export const isPublic = (classified: { 'x-data-classification'?: Classification } | undefined): boolean =>
  classified?.['x-data-classification']?.sensitivity === 'public';
