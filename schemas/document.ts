import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { ContractError } from './contract-error.ts';

/** Empty files named by the hash of a text that was found valid; `npm ci` forgets them. */
const cache = new URL('../node_modules/.cache/lookup-api-conformance/', import.meta.url);

/**
 * Refuses a document that breaks OpenAPI's own schema. Parsing and checking take longer than asking the
 * mock, so a text that was found valid is not read again.
 * @throws {ContractError} naming the place.
 */
export async function assertValidOpenapi(text: string, parse: () => object): Promise<void> {
  const mark = new URL(createHash('sha256').update(text).digest('hex'), cache);
  if (existsSync(mark)) return;
  const { Validator } = await import('@seriousme/openapi-schema-validator');
  const result = await new Validator().validate({ ...parse() });
  if (!result.valid)
    throw new ContractError(`spec/openapi.yaml is not a valid OpenAPI 3.1 document: ${first(result.errors)}`);
  remember(mark);
}

function remember(mark: URL): void {
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(mark, '');
  } catch {
    // Where nothing may be written, the text is checked each time.
  }
}

function first(errors: unknown): string {
  const [error] = (Array.isArray(errors) ? errors : []) as { instancePath?: string; message?: string }[];
  return error ? `${error.instancePath || '/'} ${error.message}` : String(errors);
}
