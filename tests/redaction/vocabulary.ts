import type { Contract, Operation, Schema } from '../../schemas/contract/contract.ts';

/** Names of header fields and words of media types that are registered, or known to everybody. */
const http = new Set(
  (
    'age api-deprecated-versions api-supported-versions api-version cache-control cdn-cache-control content-range ' +
    'deprecation etag expires last-modified link pragma ratelimit ratelimit-limit ratelimit-policy ' +
    'ratelimit-remaining ratelimit-reset retry-after server sunset vary version via warning x-api-version ' +
    'x-aspnet-version x-cache x-powered-by x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset ' +
    'x-ratelimit-used x-runtime x-served-by x-total-count x-version ' +
    'application audio image message model multipart text video ' +
    'api css csv event-stream form-data gif hal html javascript jpeg json json-seq ld markdown mixed ndjson ' +
    'octet-stream pdf plain png problem rtf svg vnd webp x-ndjson x-www-form-urlencoded x-yaml xhtml xml yaml zip'
  ).split(' '),
);

/** Says whether a word is one of the contract or of HTTP, which says nothing of a target wherever it stands. */
export function publicWords(contract: Pick<Contract, 'operations'>): (word: string) => boolean {
  const own = new Set(contractWords(contract));
  return (word) => own.has(word) || http.has(word);
}

/** Names of operations, parameters and fields, and the values that the contract lists. */
export const contractWords = ({ operations }: Pick<Contract, 'operations'>): string[] =>
  operations.flatMap(wordsOfOperation);

function wordsOfOperation({ id, mediaType, parameters, schema }: Operation): string[] {
  const own = parameters.flatMap((parameter) => [parameter.name, ...wordsOf(parameter.schema)]);
  return [id, mediaType, ...own, ...wordsOf(schema)];
}

function wordsOf(schema: Schema): string[] {
  const { enum: values = [], properties = {}, items } = schema;
  const names = [
    schema['x-component'] ?? [],
    schema['x-values-that-occur'] ?? [],
    schema['x-observed-names'] ?? [],
  ];
  const strings = values.filter((value): value is string => typeof value === 'string');
  const fields = Object.entries(properties).flatMap(([name, field]) => [name, ...wordsOf(field)]);
  return [...names.flat(), ...strings, ...fields, ...(items ? wordsOf(items) : [])];
}
