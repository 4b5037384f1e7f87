import { createRequire } from 'node:module';
import type { Ajv2020, Options } from 'ajv/dist/2020.js';

/** An Ajv of JSON Schema 2020-12 with its formats. It is loaded here, since workers of Playwright make none, and each would take 40 ms. */
export function newAjv(options: Options): Ajv2020 {
  const load = createRequire(import.meta.url);
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = load('ajv-formats') as typeof import('ajv-formats');
  const ajv = new Ajv2020(options);
  addFormats.default(ajv);
  return ajv;
}
