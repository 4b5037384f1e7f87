import type { Contract } from '../../schemas/contract/contract.ts';
import { normalizeIdentifier } from '../../schemas/contract/identifiers.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { getValue, isObjectOrArray, isRecord } from '../../schemas/json.ts';
import {
  getPayloadSchema,
  isServerFault,
  readMediaType,
  splitEnvelope,
} from '../../schemas/judge/classify.ts';
import type { Exchange, HttpResponse, JudgedResponse } from '../../schemas/judge/judged.ts';
import { sweptList } from '../operations/listCustomers.ts';
import { describeCode, describeName } from '../redact/describe-value.ts';
import type { DisclosureFilter } from '../redact/disclosure.ts';
import type { ResponseContent } from '../redact/observation.ts';
import type { ReadContent } from '../redact/redact.ts';
import type { HashText } from '../relations/keyed-hash.ts';
import { sortUnique } from './sorting.ts';
import { countValues } from './values.ts';

/**
 * Creates the function that extracts from a response what the open questions need, such as hashes of the listed records. The
 * function returns undefined for a success whose JSON is not UTF-8 or is nested too deeply.
 * @param hashText keyed hash; with one key for the whole run, because hashes of different responses are compared
 */
export const createContentReader =
  ({ operations, questions }: Contract, hashText: HashText): ReadContent =>
  (exchange, judgement, shows) => {
    if (isUnreadable(exchange, judgement)) return undefined;
    const { operation, response } = exchange;
    const { body, hasRecord } = judgement;
    // A page of another API, such as HTML with HTTP 200, counts as refused.
    const kind = isFromOtherApi(exchange, judgement) ? 'rejection' : judgement.kind;
    const talliedQuestions = kind === 'success' ? questions : [];
    return {
      kind,
      hasRecord,
      ...(kind === 'success' ? {} : { error: describeError(response, { ...judgement, kind }, shows) }),
      announcements: [
        ...listAnnouncements('header', response.headers, shows),
        ...listAnnouncements('field', body, shows),
      ],
      lists: hashLists(operations, body, hashText),
      tallies: withoutEmpty(
        talliedQuestions.map((question) => [question.id, countValues(question, operation, body, shows)]),
      ),
      headers: pickHeaderWords(questions, response),
      mediaTypeParameters: readMediaTypeParameters(response),
    };
  };

/** Returns whether a success has the documented media type, but JSON that is not UTF-8 or is nested too deeply. */
function isUnreadable({ operation, response }: Exchange, { kind, unreadable }: JudgedResponse): boolean {
  const hasDocumentedMediaType = readMediaType(response) === operation.mediaType;
  const isUnreadableJson = unreadable === 'not UTF-8' || unreadable === 'nested too deeply';
  return kind === 'success' && hasDocumentedMediaType && isUnreadableJson;
}

/**
 * Returns whether a success comes from another API, such as an HTML page: its body has neither the success code nor the payload of
 * the envelope (contract section 2.1).
 */
function isFromOtherApi({ operation }: Exchange, { kind, body }: JudgedResponse): boolean {
  const { hasSuccessCode, hasPayload } = splitEnvelope(operation, body);
  return kind === 'success' && !hasSuccessCode && !hasPayload;
}

type ErrorResponse = Pick<JudgedResponse, 'kind' | 'code' | 'body'>;

const describeError = (
  response: HttpResponse,
  error: ErrorResponse,
  shows: DisclosureFilter,
): ResponseContent['error'] => ({
  label: labelError(error, shows),
  body: describeBody(response, error, shows),
});

/**
 * Formats an error response by its code, which may be the HTTP status or a code in the body: "refused as 404", "server error 500",
 * or "answered HTTP 302".
 */
function labelError({ kind, code }: ErrorResponse, shows: DisclosureFilter): string {
  const shownCode = describeCode(String(code), shows);
  if (kind === 'other') return `answered HTTP ${shownCode}`;
  if (isServerFault(kind)) return `server error ${shownCode}`;
  return `refused as ${shownCode}`;
}

const maxFields = 12;

/**
 * Describes the form of a response body without its values: "JSON of `code` integer, `message` string", "an HTML page", "no body",
 * or "another body".
 */
function describeBody(
  { body, headers }: HttpResponse,
  error: ErrorResponse,
  shows: DisclosureFilter,
): string {
  if (isObjectOrArray(error.body)) return `JSON of ${describeFields(error.body, shows)}`;
  if (body.length === 0) return 'no body';
  return /html/i.test(headers['content-type'] ?? '') ? 'an HTML page' : 'another body';
}

/**
 * Lists the fields of a JSON body with their types: "`code` integer, `data` null". Returns "other fields" for an array, for an
 * object without fields, and for an object with more than `maxFields` fields.
 */
function describeFields(body: object, shows: DisclosureFilter): string {
  const fields = isRecord(body) ? Object.entries(body) : [];
  if (fields.length === 0 || fields.length > maxFields) return 'other fields';
  return sortUnique(
    fields.map(([name, value]) => `\`${describeName(name, shows)}\` ${nameType(value)}`),
  ).join(', ');
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Names of headers and fields that may announce how many records or pages a list has, such as `x-total-count` or `total`. */
const announcementNames = {
  header: /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/,
  field: /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/,
};

/**
 * Lists the headers or fields that may announce how many records a list has (`announcementNames`), such as "header x-total-count"
 * or "field total". Of a body, also looks at the fields of the objects directly in it.
 */
function listAnnouncements(
  kind: 'header' | 'field',
  headersOrBody: unknown,
  shows: DisclosureFilter,
): string[] {
  if (!isRecord(headersOrBody)) return [];
  const nestedObjects = kind === 'field' ? Object.values(headersOrBody).filter(isRecord) : [];
  return [headersOrBody, ...nestedObjects]
    .flatMap((object) => Object.keys(object).filter((name) => announcementNames[kind].test(name)))
    .map((name) => `${kind} ${describeName(name, shows)}`);
}

/**
 * Hashes the records of each list in a body, keyed by the name of the list, such as `customers`. Looks for the documented lists of
 * all operations, because a target may respond to a probe with the list of another operation.
 */
function hashLists(
  operations: Contract['operations'],
  body: unknown,
  hashText: HashText,
): ResponseContent['lists'] {
  const lists: ResponseContent['lists'] = {};
  for (const operation of operations)
    for (const name of Object.keys(getPayloadSchema(operation)?.properties ?? {})) {
      const pointer = `${operation.envelope.payload}/${name}`;
      const list = getValue(body, pointer);
      if (!Array.isArray(list)) continue;
      // Customers have the key `uuid`. Other records, such as fee rules, have none.
      const isCustomerList = pointer === sweptList.pointer;
      lists[name] = list.map((record) => {
        const key = isCustomerList ? getValue(record, `/${sweptList.key}`) : undefined;
        return hashText(formatIdentity(key || record));
      });
    }
  return lists;
}

const formatIdentity = (keyOrRecord: unknown): string =>
  typeof keyOrRecord === 'string' ? normalizeIdentifier(keyOrRecord) : JSON.stringify(keyOrRecord);

/** Regular expression that matches no header and no word. Default for a question without `headers` or `words`. */
const matchesNothing = '$^';

/**
 * Extracts the headers whose names match `headers` of a question, and the words in their values that match its `words`. Keyed by
 * question id and header name: `{ "caching-headers": { "cache-control": ["no-store"] } }`.
 */
const pickHeaderWords = (questions: Question[], { headers }: HttpResponse): ResponseContent['headers'] =>
  withoutEmpty(
    questions.map(({ id, headers: names = matchesNothing, words = matchesNothing }) => {
      const namePattern = new RegExp(names);
      const wordPattern = new RegExp(`\\b(${words})\\b`, 'g');
      const matchingHeaders = Object.entries(headers).filter(([header]) => namePattern.test(header));
      const wordsByHeader = matchingHeaders.map(([header, value]) => [
        header,
        value.toLowerCase().match(wordPattern) ?? [],
      ]);
      return [id, Object.fromEntries(wordsByHeader)];
    }),
  );

const withoutEmpty = <Value extends object>(entries: [name: string, value: Value][]): Record<string, Value> =>
  Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0));

/**
 * Parameters of Content-Type that reports may show. They show `another one` for all other parameters, which may hold private data.
 */
const publicParameter = /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/;

/**
 * Lists the parameters of the Content-Type of a response (RFC 9110, section 8.3.1), such as `charset=utf-8`. A parameter that
 * reports may not show becomes `another one`.
 */
function readMediaTypeParameters({ headers }: HttpResponse): string[] {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().replace(/[" ]/g, '').split(';');
  return parameters.map((parameter) => (publicParameter.test(parameter) ? parameter : 'another one'));
}
