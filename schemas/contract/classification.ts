/**
 * Classification of the data in a parameter or field. `openapi.yaml` has it as
 * `x-data-classification: { category: identifier, sensitivity: confidential }`.
 */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/**
 * Returns whether a parameter or field is classified as `public`. Reports may show public values. A parameter or field without a
 * classification is not public.
 */
export const isPublic = (
  parameterOrSchema: { 'x-data-classification'?: Classification } | undefined,
): boolean => parameterOrSchema?.['x-data-classification']?.sensitivity === 'public';
