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
import type { Exchange, HttpResponse, Judged } from '../../schemas/judge/judged.ts';
import { sweptList } from '../operations/listCustomers.ts';
import { describeCode, describeName } from '../redact/describe-value.ts';
import type { DisclosureFilter } from '../redact/disclosure.ts';
import type { ResponseContent } from '../redact/observation.ts';
import type { ReadContent } from '../redact/redact.ts';
import type { HashOf } from '../relations/keyed-hash.ts';
import { sortUnique } from './sorting.ts';
import { countValues } from './values.ts';

/**
 * Creates the function that reads from a response what open questions need (`ResponseContent`), such as hashes of listed records.
 * The function returns undefined for a success in JSON that this suite cannot read.
 * @param hashOf keyed hash of a record's identity, with one key for the whole run, because lists are compared by their hashes
 */
export const createContentReader =
  ({ operations, questions }: Contract, hashOf: HashOf): ReadContent =>
  (exchange, judgement, shows) => {
    if (isUnreadable(exchange, judgement)) return undefined;
    const { operation, answer } = exchange;
    const { body, hasRecord } = judgement;
    // A page of another API, such as HTML with HTTP 200, counts as refused.
    const kind = isFromOtherApi(exchange, judgement) ? 'rejection' : judgement.kind;
    const talliedQuestions = kind === 'success' ? questions : [];
    return {
      ...{ kind, hasRecord },
      ...(kind === 'success' ? {} : { error: describeError(answer, { ...judgement, kind }, shows) }),
      announcements: [
        ...listAnnouncements('header', answer.headers, shows),
        ...listAnnouncements('field', body, shows),
      ],
      lists: hashLists(operations, body, hashOf),
      tallies: withoutEmpty(
        talliedQuestions.map((question) => [question.id, countValues(question, operation, body, shows)]),
      ),
      headers: readHeaders(questions, answer),
      mediaTypeParameters: readMediaTypeParameters(answer),
    };
  };

/** Returns whether a response is a success in JSON whose body this suite cannot read: it is not UTF-8, or is nested too deeply. */
const isUnreadable = ({ operation, answer }: Exchange, { kind, unreadable }: Judged): boolean =>
  kind === 'success' &&
  (unreadable === 'not UTF-8' || unreadable === 'nested too deeply') &&
  readMediaType(answer) === operation.mediaType;

/**
 * Returns whether a response has the status of a success, and no part of the success envelope in its body, such as an HTML page.
 */
function isFromOtherApi({ operation }: Exchange, { kind, body }: Judged): boolean {
  const { hasSuccessCode, hasPayload } = splitEnvelope(operation, body);
  return kind === 'success' && !hasSuccessCode && !hasPayload;
}

type ErrorResponse = Pick<Judged, 'kind' | 'code' | 'body'>;

/**
 * Describes an error response in words: `label` by its code, "refused as 404", and `body` by the form, "JSON of `code` integer".
 */
const describeError = (
  answer: HttpResponse,
  error: ErrorResponse,
  shows: DisclosureFilter,
): ResponseContent['error'] => ({
  label: labelError(error, shows),
  body: describeBody(answer, error, shows),
});

/**
 * Formats the code of an error response: "refused as 404", "server error 500", or "answered HTTP 302". The code is the HTTP status,
 * or the error code of the body in its place.
 */
function labelError({ kind, code }: ErrorResponse, shows: DisclosureFilter): string {
  const shownCode = describeCode(String(code), shows);
  if (kind === 'other') return `answered HTTP ${shownCode}`;
  if (isServerFault(kind)) return `server error ${shownCode}`;
  return `refused as ${shownCode}`;
}

/** Maximum number of fields of an error response whose names the description of its body lists. */
const maxFields = 12;

/**
 * Describes the form of an error response's body: "JSON of `code` integer, `message` string", "an HTML page", "no body", "another
 * body".
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
 * Lists the fields of a JSON body in alphabetical order, each with its type: "`code` integer, `data` null". Returns "other fields"
 * for an array, for an object without fields, and for more than `maxFields` fields.
 */
function describeFields(body: object, shows: DisclosureFilter): string {
  const fields = isRecord(body) ? Object.entries(body) : [];
  if (fields.length === 0 || fields.length > maxFields) return 'other fields';
  return sortUnique(
    fields.map(([name, value]) => `\`${describeName(name, shows)}\` ${nameType(value)}`),
  ).join(', ');
}

/** Names the JSON type of a value: "integer", "null", "array". */
function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/**
 * Match names of headers such as `x-total-count`, and of fields such as `total`, that may tell how many records or pages a list
 * has.
 */
const announcements = {
  header: /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/,
  field: /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/,
};

/**
 * Lists the headers or fields whose names say that they may tell how many records a list has: "header x-total-count", "field
 * total". In a body, looks at its fields and at the fields of the objects in it, such as `data`.
 * @param record headers, or the parsed body
 */
function listAnnouncements(kind: 'header' | 'field', record: unknown, shows: DisclosureFilter): string[] {
  if (!isRecord(record)) return [];
  const nestedObjects = kind === 'field' ? Object.values(record).filter(isRecord) : [];
  return [record, ...nestedObjects]
    .flatMap((fields) => Object.keys(fields).filter((name) => announcements[kind].test(name)))
    .map((name) => `${kind} ${describeName(name, shows)}`);
}

/**
 * Hashes the records of each documented list in a body, such as `customers` and `fee_rules`, keyed by the name of the list. Looks
 * for the lists of all operations, because a probe may get the response of another one.
 */
function hashLists(
  operations: Contract['operations'],
  body: unknown,
  hashOf: HashOf,
): ResponseContent['lists'] {
  const lists: ResponseContent['lists'] = {};
  for (const operation of operations)
    for (const name of Object.keys(getPayloadSchema(operation)?.properties ?? {})) {
      const pointer = `${operation.envelope.payload}/${name}`;
      const list = getValue(body, pointer);
      if (!Array.isArray(list)) continue;
      // Customers have the key `uuid`. Other records, such as fee rules, have none, and the pointer '' means the whole record.
      const keyPointer = pointer === sweptList.pointer ? `/${sweptList.key}` : '';
      lists[name] = list.map((element) => {
        const keyOrRecord = getValue(element, keyPointer) || element;
        return hashOf(formatIdentity(keyOrRecord));
      });
    }
  return lists;
}

/** Returns the text that identifies a record: its normalized key, or the JSON of a record that has no key. */
const formatIdentity = (keyOrRecord: unknown): string =>
  typeof keyOrRecord === 'string' ? normalizeIdentifier(keyOrRecord) : JSON.stringify(keyOrRecord);

/**
 * Regular expression that matches only an empty text, and so no header and no word. For a question without `headers` or `words`.
 */
const matchesNothing = '$^';

/**
 * Reads the headers of a response that match `headers` of a question, keyed by id of the question, and then by name of the header.
 * Keeps only those words of a value that match `words` of the question: `{ 'caching-headers': { 'cache-control': ['no-store'] } }`.
 */
const readHeaders = (questions: Question[], { headers }: HttpResponse): ResponseContent['headers'] =>
  withoutEmpty(
    questions.map(({ id, headers: names = matchesNothing, words = matchesNothing }) => {
      const namePattern = new RegExp(names);
      const wordPattern = new RegExp(`\\b(${words})\\b`, 'g');
      const matching = Object.entries(headers).filter(([header]) => namePattern.test(header));
      const wordsByHeader = matching.map(([header, value]) => [
        header,
        value.toLowerCase().match(wordPattern) ?? [],
      ]);
      return [id, Object.fromEntries(wordsByHeader)];
    }),
  );

/** Creates an object of pairs of name and value, without those pairs whose value is an empty object. */
const withoutEmpty = <Value extends object>(entries: [name: string, value: Value][]): Record<string, Value> =>
  Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0));

/** Matches a parameter of Content-Type that reports may show, such as `charset=utf-8`. */
const commonParameter = /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/;

/**
 * Lists the parameters of a response's Content-Type (RFC 9110, section 8.3.1), such as `charset=utf-8`. Replaces an uncommon
 * parameter by `another one`, because it may hold anything. Empty without parameters.
 */
function readMediaTypeParameters({ headers }: HttpResponse): string[] {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().replace(/[" ]/g, '').split(';');
  return parameters.map((parameter) => (commonParameter.test(parameter) ? parameter : 'another one'));
}
