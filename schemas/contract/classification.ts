/** Value of `x-data-classification` in `openapi.yaml`, such as `{ category: identifier, sensitivity: confidential }`. */
export interface Classification {
  category: string;
  sensitivity: 'public' | 'internal' | 'confidential' | 'restricted';
}

/** Returns whether reports may show a value: only if its parameter or field is classified as `public`. */
export const isPublic = (
  parameterOrSchema: { 'x-data-classification'?: Classification } | undefined,
): boolean => parameterOrSchema?.['x-data-classification']?.sensitivity === 'public';
