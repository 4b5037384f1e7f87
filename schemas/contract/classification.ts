/** Sensitivity of a value: `x-data-classification` of a parameter, or of a field that is neither object nor array. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/** Returns whether a field or a parameter is classified as public, so that its values may be shown. */
export const isPublic = (classified: { 'x-data-classification'?: Classification } | undefined): boolean =>
  classified?.['x-data-classification']?.sensitivity === 'public';
