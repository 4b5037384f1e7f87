/** Category and sensitivity of a value: `x-data-classification` of a parameter, or of a field that is neither object nor array. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/** Returns whether reports may show a value, because its sensitivity is `public`. False without a classification. */
export const isPublic = (classified: { 'x-data-classification'?: Classification } | undefined): boolean =>
  classified?.['x-data-classification']?.sensitivity === 'public';
