/** Sensitivity of a value: `x-data-classification` of a leaf or a parameter. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/** Returns whether values of a leaf or a parameter may be shown; false if it is not classified. */
export const isPublic = (classified: { 'x-data-classification'?: Classification } | undefined): boolean =>
  classified?.['x-data-classification']?.sensitivity === 'public';
