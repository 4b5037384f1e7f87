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
import type { HashText } from '../redact/keyed-hash.ts';
import type { ResponseContent } from '../redact/observation.ts';
import type { ReadContent } from '../redact/redact.ts';
import { sortUnique } from './sorting.ts';
import { countValues } from './values.ts';

/**
 * Creates the function that extracts from a response what the open questions need. It returns undefined for a success whose JSON
 * is not UTF-8 or is nested too deeply.
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

function isUnreadable({ operation, response }: Exchange, { kind, unreadable }: JudgedResponse): boolean {
  const hasDocumentedMediaType = readMediaType(response) === operation.mediaType;
  const isUnreadableJson = unreadable === 'not UTF-8' || unreadable === 'nested too deeply';
  return kind === 'success' && hasDocumentedMediaType && isUnreadableJson;
}

/** Returns whether a success, such as an HTML page, lacks the success code and the payload of the envelope (section 2.1). */
function isFromOtherApi({ operation }: Exchange, { kind, body }: JudgedResponse): boolean {
  const { hasSuccessCode, hasPayload } = splitEnvelope(operation, body);
  return kind === 'success' && !hasSuccessCode && !hasPayload;
}

type JudgedErrorResponse = Pick<JudgedResponse, 'kind' | 'code' | 'body'>;

const describeError = (
  response: HttpResponse,
  error: JudgedErrorResponse,
  shows: DisclosureFilter,
): ResponseContent['error'] => ({
  label: labelError(error, shows),
  body: describeBody(response, error, shows),
});

/** Formats an error by its HTTP status or the code in its body: "refused as 404", "server error 500", "answered HTTP 302". */
function labelError({ kind, code }: JudgedErrorResponse, shows: DisclosureFilter): string {
  const shownCode = describeCode(String(code), shows);
  if (kind === 'other') return `answered HTTP ${shownCode}`;
  if (isServerFault(kind)) return `server error ${shownCode}`;
  return `refused as ${shownCode}`;
}

const maxFields = 12;

/** Describes the form of a body without its values: "JSON of `code` integer, `message` string", "an HTML page", "no body". */
function describeBody(
  { body, headers }: HttpResponse,
  error: JudgedErrorResponse,
  shows: DisclosureFilter,
): string {
  if (isObjectOrArray(error.body)) return `JSON of ${describeFields(error.body, shows)}`;
  if (body.length === 0) return 'no body';
  return /html/i.test(headers['content-type'] ?? '') ? 'an HTML page' : 'another body';
}

/** Lists the fields of a JSON body with their types: "`code` integer, `data` null". Or "other fields", if none or too many. */
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

const announcementNames = {
  header: /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/,
  field: /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/,
};

/** Lists headers or fields, also nested ones, that may announce the length of a list: "header x-total-count". */
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
 * Hashes the records of each list in a body, keyed by name of the list, such as `customers`. Looks for the lists of all
 * operations, because a target may respond to a probe with the list of another operation.
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

const matchesNothing = '$^';

/**
 * Extracts the headers that match `headers` of a question, with the words in their values that match its `words`. Keyed by
 * question id and header: `{ "caching-headers": { "cache-control": ["no-store"] } }`.
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

/** Parameters of Content-Type that reports may show. Other ones may hold private data. */
const publicParameter = /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/;

/** Lists the parameters of the Content-Type of a response (RFC 9110, section 8.3.1), such as `charset=utf-8`. */
function readMediaTypeParameters({ headers }: HttpResponse): string[] {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().replace(/[" ]/g, '').split(';');
  return parameters.map((parameter) => (publicParameter.test(parameter) ? parameter : 'another one'));
}
