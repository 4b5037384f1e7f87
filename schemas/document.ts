import { cachedAsync } from './cache.ts';
import { ContractError } from './contract-error.ts';

/** Refuses a document that breaks OpenAPI's own schema. @throws {ContractError} naming the place. */
export async function assertValidOpenapi(text: string, parse: () => object): Promise<void> {
  await cachedAsync('openapi', text, async () => {
    const { Validator } = await import('@seriousme/openapi-schema-validator');
    const result = await new Validator().validate({ ...parse() });
    if (!result.valid)
      throw new ContractError(
        `spec/openapi.yaml is not a valid OpenAPI 3.1 document: ${first(result.errors)}`,
      );
    return true;
  });
}

function first(errors: unknown): string {
  const [error] = (Array.isArray(errors) ? errors : []) as { instancePath?: string; message?: string }[];
  return error ? `${error.instancePath || '/'} ${error.message}` : String(errors);
}
