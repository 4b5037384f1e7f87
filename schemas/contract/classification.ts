const sensitivityLevels = ['public', 'internal', 'confidential', 'restricted'] as const;

/** Sensitivity of a value: `x-data-classification` of a leaf or a parameter. */
export interface Classification {
  category: string;
  sensitivity: (typeof sensitivityLevels)[number];
}

/** JSON Schema of `x-data-classification`. */
export const classificationSchema = {
  type: 'object',
  required: ['category', 'sensitivity'],
  properties: {
    category: { type: 'string' },
    sensitivity: { enum: sensitivityLevels },
  },
};

/** Returns whether values of a leaf or a parameter may be shown; false if it is not classified. */
export const isPublic = (classified: { 'x-data-classification'?: Classification } | undefined): boolean =>
  classified?.['x-data-classification']?.sensitivity === 'public';
