/** Value of `x-data-classification` in `openapi.yaml`, such as `{ category: identifier, sensitivity: confidential }`. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/** Returns whether a parameter or field is classified as `public`, so that reports may show its values. */
export const isPublic = (
  parameterOrSchema: { 'x-data-classification'?: Classification } | undefined,
): boolean => parameterOrSchema?.['x-data-classification']?.sensitivity === 'public';
