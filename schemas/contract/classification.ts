const sensitivities = ['public', 'internal', 'confidential', 'restricted'] as const;

/** How sensitive a value is: `x-data-classification` of a leaf or a parameter. */
export interface Classification {
  category: string;
  sensitivity: (typeof sensitivities)[number];
}

/** What `x-data-classification` must be, as JSON Schema. */
export const classificationSchema = {
  type: 'object',
  required: ['category', 'sensitivity'],
  properties: {
    category: { type: 'string' },
    sensitivity: { enum: sensitivities },
  },
};

/** Whether values of a leaf or a parameter may be shown: never those of one that nobody has classified. */
export const isPublic = (described: { 'x-data-classification'?: Classification } | undefined): boolean =>
  described?.['x-data-classification']?.sensitivity === 'public';
