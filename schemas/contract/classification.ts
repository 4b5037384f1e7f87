/** Value of `x-data-classification` in `openapi.yaml`, such as `{ category: identifier, sensitivity: confidential }`. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/**
 * Returns whether reports may show the value of a parameter or field: only if `openapi.yaml` classifies it as `public`. Returns
 * false for an unclassified or undefined one.
 */
export const isPublic = (
  parameterOrSchema: { 'x-data-classification'?: Classification } | undefined,
): boolean => parameterOrSchema?.['x-data-classification']?.sensitivity === 'public';
