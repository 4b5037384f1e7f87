/**
 * Classification of the data in a parameter or field. `openapi.yaml` has it as
 * `x-data-classification: { category: identifier, sensitivity: confidential }`.
 */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/** Returns whether a parameter or field is classified as `public`, so that reports may show its values. */
export const isPublic = (
  parameterOrSchema: { 'x-data-classification'?: Classification } | undefined,
): boolean => parameterOrSchema?.['x-data-classification']?.sensitivity === 'public';
